# SPDX-License-Identifier: BSD-3-Clause
"""What all commands share: command lines, output, children, signals."""

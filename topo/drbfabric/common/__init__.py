# SPDX-License-Identifier: BSD-3-Clause
"""Modules that all commands share: command lines, output, children, signals."""

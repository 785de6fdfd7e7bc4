# SPDX-License-Identifier: BSD-3-Clause
"""The same fabric as nodes of Mininet."""

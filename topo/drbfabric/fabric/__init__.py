# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics in network namespaces: making, starting, checking and taking them down."""

# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics whose nodes and links are made by Mininet."""

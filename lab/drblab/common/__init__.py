# SPDX-License-Identifier: BSD-3-Clause
"""Modules for files and schemes that the package `report` imports from its host."""

# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics over several machines, and exports for other engines."""

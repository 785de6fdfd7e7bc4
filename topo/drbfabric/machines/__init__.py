# SPDX-License-Identifier: BSD-3-Clause
"""Fabrics over several machines, and exports of plans for other programs."""

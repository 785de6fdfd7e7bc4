# SPDX-License-Identifier: BSD-3-Clause
"""Measured runs next to the simulator, and their reports."""

# SPDX-License-Identifier: BSD-3-Clause
"""Live runs that are measured and compared with the simulator, and their reports."""

# SPDX-License-Identifier: BSD-3-Clause
"""Measures points in live fabrics, as `drbsim run` does in the simulator. The laboratory plans the
points, and compares and draws their rows."""

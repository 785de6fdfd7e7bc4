# SPDX-License-Identifier: BSD-3-Clause
"""Studies choose points and compare their results. Each is a verb of the command `drblab`."""

# SPDX-License-Identifier: BSD-3-Clause
"""What is broken on purpose, at once or at given times."""

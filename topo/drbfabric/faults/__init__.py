# SPDX-License-Identifier: BSD-3-Clause
"""Faults that users cause on purpose, at once or at given times."""

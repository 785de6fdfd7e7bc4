# SPDX-License-Identifier: BSD-3-Clause
"""A fabric in namespaces: made, started, checked, taken down."""

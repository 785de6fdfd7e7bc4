# SPDX-License-Identifier: BSD-3-Clause
"""The report of `drbsim paper`: reads what it computed (results.jsonl), judges the paper's claims by it, draws."""

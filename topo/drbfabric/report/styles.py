# SPDX-License-Identifier: BSD-3-Clause
"""One style for all pictures: a scheme has one colour and one mark wherever it is drawn."""

from drbfabric.common import schemes

INK, PAPER, DARK_INK, DARK_PAPER = '#000000', '#ffffff', '#dfe3e8', '#15181c'
GRID, DARK_GRID = '#cccccc', '#3b414a'

# Schemes have theirs in the table of `drbtopo schemes`. Colour-blind readers tell them apart, on white and on black.
VARIANTS = {'drb T=0': ('#56b4e9', 'x'), 'paths': ('#009e73', '*')}
# From the first to the last of an order.
ORDER = [('#1f4e9c', 'o'), ('#2a8fbd', 's'), ('#1fa187', 'D'), ('#7cb518', '^'), ('#f2a900', 'v'), ('#e4572e', 'p'),
         ('#c2185b', 'P'), ('#8e24aa', 'X')]
# Light where nothing is, dark where much is.
HEAT = ['#f3f6fa', '#9ecae1', '#4292c6', '#6a51a3', '#ae017e', '#49006a']


def style_of(name):
    """Colour and mark of a scheme, of "ink", or of a number from 1 on: what has an order."""
    if name.isdigit():
        return ORDER[int(name) - 1]
    if name == 'ink':
        return INK, ''
    return VARIANTS.get(name) or schemes.style(name)

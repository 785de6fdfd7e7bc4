# SPDX-License-Identifier: BSD-3-Clause
"""One style for all pictures: a scheme has the same colour and mark everywhere."""

from ..common import schemes

INK, PAPER, DARK_INK, DARK_PAPER = '#000000', '#ffffff', '#dfe3e8', '#15181c'
# Width and height of a picture in inches. Its letters can be read if it is reduced to 85 mm.
SIZE = 5, 3.6
GRID, DARK_GRID = '#cccccc', '#3b414a'

# Styles of lines that are not schemes; those of schemes are in the table of `drbtopo schemes`.
# Colour-blind readers can tell all apart, on white and on black.
VARIANTS = {'drb T=0': ('#56b4e9', 'x'), 'paths': ('#009e73', '*')}
# Styles of ordered values, from the first to the last.
ORDER = [('#1f4e9c', 'o'), ('#2a8fbd', 's'), ('#1fa187', 'D'), ('#7cb518', '^'), ('#f2a900', 'v'), ('#e4572e', 'p'),
         ('#c2185b', 'P'), ('#8e24aa', 'X')]


def style_of(name: str) -> tuple[str, str]:
    """The colour and the mark of a scheme, of "ink", or of an ordered value (its number from 1)."""
    if name.isdigit():
        return ORDER[int(name) - 1]
    if name == 'ink':
        return INK, ''
    return VARIANTS.get(name) or schemes.style(name)

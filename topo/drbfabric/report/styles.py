# SPDX-License-Identifier: BSD-3-Clause
"""One style for all pictures: a scheme has one colour and one mark wherever it is drawn."""

INK, PAPER, DARK_INK, DARK_PAPER = '#000000', '#ffffff', '#dfe3e8', '#15181c'
GRID, DARK_GRID = '#cccccc', '#3b414a'

# Colours that colour-blind readers tell apart, on white and on black.
SCHEMES = {
    'drb': ('#0072b2', 'o'), 'drb T=0': ('#56b4e9', 'x'), 'dmodk': ('#808080', 's'), 'vlb': ('#cc79a7', 'D'),
    'micro': ('#d55e00', '^'), 'ecmp': ('#a6761d', 'v'), 'least': ('#e69f00', 'p'), 'drill': ('#e0457b', 'P'),
    'bouncing': ('#5b9e1f', 'X'), 'walk': ('#8f4fd8', 'h'), 'paths': ('#a6761d', '*'),
}
# From the first to the last of an order.
ORDER = [('#1f4e9c', 'o'), ('#2a8fbd', 's'), ('#1fa187', 'D'), ('#7cb518', '^'), ('#f2a900', 'v'), ('#e4572e', 'p'),
         ('#c2185b', 'P'), ('#8e24aa', 'X')]
# Light where nothing is, dark where much is.
HEAT = ['#f3f6fa', '#9ecae1', '#4292c6', '#6a51a3', '#ae017e', '#49006a']


def style_of(name):
    """Colour and mark of a scheme, of "ink", or of a number from 1 on: what has an order."""
    if name.isdigit():
        return ORDER[int(name) - 1]
    return (INK, '') if name == 'ink' else SCHEMES[name]

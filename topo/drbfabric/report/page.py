# SPDX-License-Identifier: BSD-3-Clause
"""One HTML file that needs nothing else, from a template: pictures are in it."""

import math
import os
import urllib.parse

import jinja2
from markupsafe import Markup

# Of page.html, which other templates extend.
COMMON = os.path.join(os.path.dirname(__file__), 'templates')


def interval(value, half, digits=2):
    """'1.06 ± 0.01', or without what one run cannot say."""
    return f'{value:.{digits}f}' + ('' if math.isnan(half) else f' ± {half:.{digits}f}')


def image(pictures, name):
    """A figure as draw_all() has it."""
    svg, caption, wide = pictures[name]
    return Markup('<figure{0}><img id="{1}" alt="{1}" src="data:image/svg+xml,{2}"><figcaption>{3}</figcaption>'
                  '</figure>').format(Markup(' class="wide"' if wide else ''), name,
                                      Markup(urllib.parse.quote(svg, safe=" !'()*+,/:;=?@[]{}|")), caption)


def render(path, **data):
    """The page of a template that extends page.html."""
    folder, name = os.path.split(path)
    engine = jinja2.Environment(loader=jinja2.FileSystemLoader([folder, COMMON]), autoescape=True, trim_blocks=True,
                                lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    engine.globals.update(interval=interval, image=image)
    return engine.get_template(name).render(**data)

# SPDX-License-Identifier: BSD-3-Clause
"""Makes one HTML file from a template. The file contains its pictures and needs no other files."""

import math
import os
import urllib.parse
from typing import Any

import jinja2
from markupsafe import Markup

# The folder of page.html, which other templates extend.
COMMON = os.path.join(os.path.dirname(__file__), 'templates')


def interval(value: float, half: float, digits: int = 2) -> str:
    """'1.06 ± 0.01', or '1.06' if the width is unknown (one run)."""
    return f'{value:.{digits}f}' + ('' if math.isnan(half) else f' ± {half:.{digits}f}')


def image(pictures: dict[str, Any], name: str) -> Markup:
    """The HTML of one of the pictures, which are in the form of draw_all()."""
    svg, caption, wide = pictures[name]
    return Markup('<figure{0}><img id="{1}" alt="{1}" src="data:image/svg+xml,{2}"><figcaption>{3}</figcaption>'
                  '</figure>').format(Markup(' class="wide"' if wide else ''), name,
                                      Markup(urllib.parse.quote(svg, safe=" !'()*+,/:;=?@[]{}|")), caption)


def render(path: str, **data: Any) -> str:
    """Renders a template that extends page.html."""
    folder, name = os.path.split(path)
    engine = jinja2.Environment(loader=jinja2.FileSystemLoader([folder, COMMON]), autoescape=True, trim_blocks=True,
                                lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    engine.globals.update(interval=interval, image=image)
    return engine.get_template(name).render(**data)

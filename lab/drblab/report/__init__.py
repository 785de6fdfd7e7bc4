# SPDX-License-Identifier: BSD-3-Clause
"""Parts of all reports: means and intervals, CSV files, figures in one style, HTML pages."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..common.files import write as write_file
from .figure import Figure

# Debian packages of the modules that pages and pictures need.
PACKAGES = {'jinja2': 'python3-jinja2', 'markupsafe': 'python3-markupsafe', 'matplotlib': 'python3-matplotlib'}


@contextlib.contextmanager
def without(what: str) -> Iterator[None]:
    """A context for code that imports optional packages. If one is missing, the code is left, and a
    line reports that there is no `what`."""
    try:
        yield
    except ModuleNotFoundError as e:
        if e.name not in PACKAGES:
            raise
        print(f'no {what}: {sys.executable} has no {e.name} (Debian package {PACKAGES[e.name]})', file=sys.stderr)


def write_page(folder: str, figures: Sequence[Figure], template: str,
               drawn: dict[str, Any] | None = None, **data: Any) -> str | None:
    """Draws the figures, writes report.html and returns its path. If a package is missing, prints a
    line that names it, and returns None.

    template: path of a template that extends page.html; it gets all pictures as `pictures`, by
    name. drawn: pictures that are drawn already, in the form of draw_all()."""
    with without(f'report, but all CSV files are in {folder}'):
        from . import page, pictures
        text = page.render(template, pictures={**pictures.draw_all(figures, folder), **(drawn or {})}, **data)
        path = f'{folder}/report.html'
        write_file(path, text)
        return path
    return None


def write_picture(figure: Figure, path: str) -> bool:
    """Draws a figure as SVG. If a package is missing, prints a line about it and returns False."""
    with without('picture'):
        from . import pictures
        pictures.draw_alone(figure, path)
        return True
    return False

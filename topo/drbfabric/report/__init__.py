# SPDX-License-Identifier: BSD-3-Clause
"""What all reports are made of: means and intervals, CSV files, figures in one style, HTML pages."""

import contextlib
import sys

# Debian's, of what else a page and its pictures need.
PACKAGES = {'jinja2': 'python3-jinja2', 'markupsafe': 'python3-markupsafe', 'matplotlib': 'python3-matplotlib'}


@contextlib.contextmanager
def without(what):
    """A block that imports packages; where one is missing a line says that there is no such thing, and the block
    ends."""
    try:
        yield
    except ModuleNotFoundError as e:
        if e.name not in PACKAGES:
            raise
        print(f'no {what}: {sys.executable} has no {e.name} (Debian package {PACKAGES[e.name]})', file=sys.stderr)


def write_page(folder, figures, template, drawn=None, **data):
    """Draws the figures, writes report.html and returns its path; None, after a line that names it, if a package is
    missing. template: the path of one that extends page.html; its `pictures` are the figures by name, and after
    them what is drawn already, as draw_all() has it."""
    with without(f'report, but all CSV files are in {folder}'):
        from drbfabric.report import page, pictures
        text = page.render(template, pictures={**pictures.draw_all(figures, folder), **(drawn or {})}, **data)
        path = f'{folder}/report.html'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path
    return None


def write_picture(figure, path):
    """Draws one figure as SVG; returns whether it could, after a line that names the package that is missing."""
    with without('picture'):
        from drbfabric.report import pictures
        pictures.draw_alone(figure, path)
        return True
    return False

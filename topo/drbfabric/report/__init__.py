# SPDX-License-Identifier: BSD-3-Clause
"""What all reports are made of: means and intervals, CSV files, figures in one style, HTML pages."""

import sys

# Debian's, of what else a page and its pictures need.
PACKAGES = {'jinja2': 'python3-jinja2', 'markupsafe': 'python3-markupsafe', 'matplotlib': 'python3-matplotlib'}


def write_page(folder, figures, template, drawn=None, **data):
    """Draws the figures, writes report.html and returns its path; None, after a line that names it, if a package is
    missing. template: the path of one that extends page.html; its `pictures` are the figures by name, and after
    them what is drawn already, as draw_all() has it."""
    try:
        from drbfabric.report import page, pictures
    except ModuleNotFoundError as e:
        if e.name not in PACKAGES:
            raise
        print(f'no report, but all CSV files are in {folder}: {sys.executable} has no {e.name} (Debian package '
              f'{PACKAGES[e.name]})', file=sys.stderr)
        return None
    text = page.render(template, pictures={**pictures.draw_all(figures, folder), **(drawn or {})}, **data)
    path = f'{folder}/report.html'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path

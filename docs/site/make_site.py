#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a static site of all pages, with search, by mkdocs.

Serve it by HTTP: browsers refuse to search in files.

    docs/site/make_site.py REPOSITORY SITE VERSION"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / 'tests/docs'))

import api_page  # noqa: E402
import check_links  # noqa: E402

# The section of a page, by the longest of these that its path begins with.
SECTIONS = {
    'README.md': '', 'docs/guide/': 'Guide', 'topo/': 'Guide', 'config/': 'Guide',
    'docs/': 'Reference', 'src/sim/': 'Reference', 'CHANGELOG.md': 'Reference',
    'CONTRIBUTING.md': 'Development', 'SECURITY.md': 'Development', 'docs/development/': 'Development',
    'src/': 'Development', 'tests/': 'Development', 'docs/decisions/': 'Decisions', 'docs/notes/': 'Notes',
}
ITEM = re.compile(r'[-*] |\d+\. ')


def navigation(pages):
    """The sections in their order, each with its pages."""
    sections = {name: [] for name in SECTIONS.values()}
    for page in pages:
        prefix = max((p for p in SECTIONS if page.startswith(p)), key=len, default=None)
        if prefix is None:
            sys.exit(f'{page}: SECTIONS in {__file__} has no section for it')
        sections[SECTIONS[prefix]].append(page)
    return sections.pop('') + [{name: found} for name, found in sections.items()]


def for_python_markdown(text):
    """Returns a page in the form that this converter needs.

    A fence names only the language of its code. A blank line precedes each list, and each item
    after one with several blocks. Blocks within an item are indented by four blanks."""
    lines, fenced, apart = [''], False, False
    for line in text.splitlines():
        if line.startswith('```'):
            fenced, line = not fenced, line.split(' ')[0]
        elif not fenced:
            line = re.sub(r'^ {2,3}(?=\S)', ' ' * 4, re.sub(r'^ {6,7}(?=\S)', ' ' * 8, line))
            if ITEM.match(line) and (apart or lines[-1][:1].strip('|# ') and not ITEM.match(lines[-1])):
                lines.append('')
            apart = line[:1] == ' ' and (apart or not lines[-1])
        lines.append(line)
    return '\n'.join(lines) + '\n'


def copy(root, to, pages):
    """Pages and the files that they link to, at the same paths, so that links between them hold."""
    for page in pages:
        text = api_page.linked(page, (root / page).read_text(encoding='utf-8'))
        for link in check_links.LINK.findall(text):
            name = os.path.normpath(os.path.join(os.path.dirname(page), link.partition('#')[0]))
            if os.path.isfile(root / name) and not name.endswith('.md'):
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / name, to / name)
        (to / page).parent.mkdir(parents=True, exist_ok=True)
        (to / page).write_text(for_python_markdown(text), encoding='utf-8')


def main():
    root, site, version = pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    pages = sorted(check_links.markdown(root))
    with tempfile.TemporaryDirectory() as folder:
        copy(root, pathlib.Path(folder, 'pages'), pages)
        api = pathlib.Path(folder, 'pages', api_page.PATH)
        api.parent.mkdir(parents=True, exist_ok=True)
        api.write_text(api_page.page(root), encoding='utf-8')
        config = {
            'site_name': f'drbswitch {version}', 'docs_dir': 'pages', 'site_dir': site,
            'nav': navigation(sorted([*pages, api_page.PATH])),
            'theme': {'name': None, 'custom_dir': f'{HERE}/theme', 'include_search_page': True},
            'use_directory_urls': False,
        }
        with open(f'{folder}/mkdocs.yml', 'w', encoding='utf-8') as f:
            json.dump(config, f)
        r = subprocess.run(['mkdocs', 'build', '--strict', '--config-file', f.name], text=True, capture_output=True,
                           check=False)
        if r.returncode:
            sys.stderr.write(r.stderr + r.stdout)
        return r.returncode


if __name__ == '__main__':
    sys.exit(main())

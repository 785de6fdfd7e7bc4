#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the site: its pages, links, search, functions of libdrb, and the contrast of pictures.

test_site.py REPOSITORY    TAP on standard output."""
import functools
import html.parser
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

sys.dont_write_bytecode = True
REPOSITORY = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(REPOSITORY / 'tests/process'), str(REPOSITORY / 'tests/docs')]

import check_links  # noqa: E402
import tap  # noqa: E402
from contrast import contrast  # noqa: E402

# Elements whose addresses a browser loads automatically; other addresses are links for readers
LOADED = {'link': 'href', 'script': 'src', 'img': 'src'}
# Markup that the converter has not understood
RAW = re.compile(r'\|-{3}|^\s*\|.*\||^ *(?:-|\d+\.) \S|```|\]\(', re.M)


class Page(html.parser.HTMLParser):
    """Identifiers, links, addresses that the page loads, and text outside code."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded, self.text, self.in_code = {''}, [], [], '', 0
        self.feed(path.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.in_code += tag in ('code', 'pre', 'script', 'style', 'title')
        self.ids.add(attrs.get('id'))
        if tag == 'a' and 'href' in attrs:
            self.links.append(attrs['href'])
        if LOADED.get(tag) in attrs:
            self.loaded.append(attrs[LOADED[tag]])

    def handle_endtag(self, tag):
        self.in_code -= tag in ('code', 'pre', 'script', 'style', 'title')

    def handle_data(self, data):
        self.text += '' if self.in_code else data


def make(root, site):
    return subprocess.run([sys.executable, REPOSITORY / 'docs/site/make_site.py', root, site, '1.2.3'], text=True,
                          capture_output=True, check=False, timeout=120)


def html_of(page):
    return re.sub(r'README\.html$', 'index.html', re.sub(r'\.md$', '.html', page))


def every_page_is_there():
    found = [page for page in check_links.markdown(REPOSITORY) if not (SITE / html_of(page)).is_file()]
    assert not found and len(PAGES) > 30, (found, len(PAGES))


def links_lead_somewhere():
    wrong = []
    for path, page in PAGES.items():
        for link in page.links + page.loaded:
            address, _, anchor = urllib.parse.unquote(link).partition('#')
            if re.match(r'[a-z]+:', address) and link in page.links:
                continue
            to = pathlib.Path(os.path.normpath(path.parent / address)) if address not in ('', '.') else path
            if not to.is_file() or to in PAGES and anchor not in PAGES[to].ids:
                wrong.append(f'{path.relative_to(SITE)}: {link}')
    assert not wrong, '\n'.join(wrong)


def markup_is_understood():
    found = {path: RAW.search(page.text) for path, page in PAGES.items()}
    raw = [f'{path.relative_to(SITE)}: {match[0]}' for path, match in found.items() if match]
    assert not raw, raw


def search_knows_every_page():
    index = json.loads((SITE / 'search/search_index.json').read_text(encoding='utf-8'))
    known = {entry['location'].partition('#')[0] for entry in index['docs']}
    missing = {html_of(page) for page in check_links.markdown(REPOSITORY)} - known
    assert not missing, missing
    assert any('queue_full' in entry['text'] for entry in index['docs'])
    assert any(entry['title'] == 'Why a broker process' for entry in index['docs'])


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


# The first page found for what a reader looks for. No page has all words of the last one.
FIRST = {'own scheme': 'docs/guide/your-own-scheme.html', 'slotted': 'docs/reference/',
         'why a broker': 'docs/decisions/0003-broker-process.html', 'queue_full': 'docs/',
         'lossy links': 'docs/', 'no such (words': ''}


def search_finds_what_is_looked_for():
    if not shutil.which('chromium'):
        raise tap.Skip('chromium is not installed')
    handler = functools.partial(Quiet, directory=str(SITE))
    index = json.loads((SITE / 'search/search_index.json').read_text(encoding='utf-8'))
    texts = {entry['location']: f"{entry['title']} {entry['text']}".lower() for entry in index['docs']}
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server, tempfile.TemporaryDirectory() as user:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for query, wanted in FIRST.items():
            where = f'http://127.0.0.1:{server.server_port}/search.html?q={urllib.parse.quote(query)}'
            page = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={user}',
                                   '--virtual-time-budget=10000', '--dump-dom', where],
                                  capture_output=True, text=True, timeout=60, check=True).stdout
            found = re.findall('<article><h3><a href="([^"]*)', page)
            assert found and found[0].startswith(wanted), (query, found[:5])
            for text in [texts[html.unescape(place)] for place in found] if wanted else ():
                assert all(word in text for word in query.split()), (query, text[:200])
            assert '<mark>' in page, query
        server.shutdown()


def every_function_of_libdrb_is_on_its_page():
    headers = ''.join(path.read_text(encoding='utf-8') for path in (REPOSITORY / 'include/drb').iterdir())
    names = set(re.findall(r'^DRB_API [^(]*?(drb_\w+)\(', headers, re.M))
    assert len(names) > 30, names
    missing = names - PAGES[SITE / 'docs/reference/libdrb-api.html'].ids
    assert not missing, missing
    assert 'libdrb-api.html#drbtreeh' in PAGES[SITE / 'docs/reference/libdrb.html'].links


def the_picture_can_be_read_in_light_and_dark():
    picture = (REPOSITORY / 'docs/fat-tree.svg').read_text(encoding='utf-8')
    colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', picture))
    assert len(colours) == 3, colours
    for colour in colours:
        for page in '#ffffff', '#0d1117':
            seen = contrast(bytes.fromhex(colour[1:]), bytes.fromhex(page[1:]))
            assert seen >= 4, (colour, page, seen)


def a_link_to_nowhere_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, 'root')
        root.mkdir()
        for text, fine in ('[a](CHANGELOG.md)', True), ('[a](docs/none.md)', False):
            (root / 'README.md').write_text(f'# A page\n\n{text}\n')
            (root / 'CHANGELOG.md').write_text('# Changes\n')
            r = make(root, f'{folder}/site')
            assert (r.returncode == 0) == fine and ('docs/none.md' in r.stderr) != fine, r


def a_function_without_a_comment_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        headers = pathlib.Path(folder, 'include/drb')
        headers.mkdir(parents=True)
        pathlib.Path(folder, 'README.md').write_text('# A page\n')
        other = '// Of the other.\nDRB_API void drb_other(void);\n'
        for comment, fine in ('// Tells.\n', True), ('\n', False), (other, False):
            (headers / 'tell.h').write_text(f'{comment}DRB_API int drb_tell(int a,\n\t\t     int b);\n')
            r = make(folder, f'{folder}/site')
            assert (r.returncode == 0) == fine and ('tell.h: drb_tell() has no comment' in r.stderr) != fine, r


with tempfile.TemporaryDirectory() as site_folder:
    SITE = pathlib.Path(site_folder)
    made = make(REPOSITORY, SITE)
    PAGES = {path: Page(path) for path in SITE.glob('**/*.html') if path.name not in ('404.html', 'search.html')} \
        if made.returncode == 0 else {}

    def the_site_is_made():
        assert made.returncode == 0, made.stdout + made.stderr

    OF_PAGES = (every_page_is_there, links_lead_somewhere, markup_is_understood, search_knows_every_page,
                search_finds_what_is_looked_for,                every_function_of_libdrb_is_on_its_page)
    tap.run((the_site_is_made, *(OF_PAGES if PAGES else ()), the_picture_can_be_read_in_light_and_dark,
             a_link_to_nowhere_is_refused, a_function_without_a_comment_is_refused))

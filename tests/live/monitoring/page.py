#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Looks at the page of drbctl serve, or at one that drbctl record wrote, with a headless Chromium.

page.py live URL DRBCTL TRAFFIC KILL STOP    a running fabric. The last three are commands:
                                             TRAFFIC sends packets, KILL kills switch s2-1,
                                             STOP ends s2-3 in order.
page.py play [--frames-s S] URL [FILE]       a recording: the page itself, or FILE opened by it

Prints one JSON object with the observations, which tests/live/monitoring/page.sh judges. With
--shots DIR, saves screenshots there. Runs with Debian's interpreter, which has Debian's
python3-selenium."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--hide-scrollbars')
COMPARED_S = 6  # seconds of traffic for which the page is compared with drbctl watch


class Page:
    """A browser that shows one page."""

    def __init__(self, url, shots):
        self.profile = tempfile.mkdtemp(prefix='page-')
        self.shots = shots
        options = webdriver.ChromeOptions()
        for flag in FLAGS:
            options.add_argument(flag)
        options.add_argument(f'--user-data-dir={self.profile}')
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
        self.size(1240, 880)
        self.driver.get(url)

    def close(self):
        """Ends the browser."""
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def run(self, script, *arguments):
        """Runs a script in the page; returns its result."""
        return self.driver.execute_script(script, *arguments)

    def size(self, width, height):
        """Sets the size of the view, which may be smaller than the least window."""
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 600})

    def wait(self, script, seconds=30):
        """Waits until the script returns something true; returns the seconds that this took."""
        begin = time.monotonic()
        WebDriverWait(self.driver, seconds, 0.02).until(lambda d: d.execute_script(script))
        return time.monotonic() - begin

    def words(self):
        """Returns what headings, buttons, labels and hints in sight say, without numbers.

        What depends on the load is left out."""
        return self.run("""
            const which = 'dt, h2, th, .tools label, .tools button, .legend, #details p:not(.bad)';
            const seen = [...document.querySelectorAll(which)].filter((e) => e.checkVisibility());
            const said = seen.map((e) => e.textContent.replace(/\\s+/g, ' ').replace(/[0-9.,]+/g, '#').trim());
            return [...new Set(said)].filter(text => /[a-z]{2}/.test(text)).sort();""")

    def shot(self, name):
        """Saves a screenshot for docs/guide."""
        if self.shots:
            time.sleep(0.3)
            self.driver.save_screenshot(os.path.join(self.shots, f'{name}.png'))

    def elements(self, selector):
        """Returns the number of elements that match."""
        return len(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def frames_per_second(self, seconds):
        """Returns the rate at which the browser draws."""
        return self.driver.execute_async_script('''
            const done = arguments[arguments.length - 1], begin = performance.now();
            let frames = 0;
            const step = (t) => { frames++;
              if (t - begin < arguments[0] * 1000) requestAnimationFrame(step);
              else done(frames / (t - begin) * 1000); };
            requestAnimationFrame(step);''', seconds)

    def complaints(self):
        """Returns errors and warnings of the console."""
        return [e['message'] for e in self.driver.get_log('browser') if e['level'] in ('SEVERE', 'WARNING')]

    def requests(self):
        """Returns the addresses that the page requested."""
        urls = set()
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                urls.add(message['params']['request']['url'])
        return sorted(urls)


SENT = '''const sums = {};
for (const line of document.querySelectorAll('.link line[data-from]')) {
  const [name, port] = line.dataset.from.split('.');
  if (port) sums[name] = (sums[name] || 0) + Number(line.dataset.packets);
}
return [history().frames.length, sums];'''


def sent_by_page(page, seconds):
    """Returns each switch's mean rate of sending over these seconds, by the links of the map."""
    looks, seen = [], None
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(looks) < 2:
        number, sums = page.run(SENT)
        if number != seen:
            looks.append(sums)
            seen = number
        time.sleep(0.05)
    looks = looks[1:]  # the first state may be from an earlier time
    return {name: sum(s[name] for s in looks) / len(looks) for name in looks[0]}


def compare_with_watch(page, drbctl):
    """Returns the largest relative difference of page and drbctl watch in the same seconds."""
    with subprocess.Popen([drbctl, 'watch', '--json', '-i', f'{COMPARED_S}s', '-c', '1'],
                          stdout=subprocess.PIPE, text=True) as watch:
        mine = sent_by_page(page, COMPARED_S)
        rows = [json.loads(line) for line in watch.communicate()[0].splitlines()]
    differences = {r['switch']: abs(mine[r['switch']] / r['out_pps'] - 1) for r in rows if r['out_pps'] > 0}
    worst = max(differences, key=lambda name: differences[name], default=None)
    return {'compared': len(differences), 'difference': differences.get(worst), 'worst': worst,
            'watch_pps': sum(r['out_pps'] for r in rows), 'page_pps': sum(mine.values())}


def default_way(page, source, target):
    """Returns the hops of the default path between two hosts, as the panel lists them."""
    page.run('''for (const [id, host] of [['from', arguments[0]], ['to', arguments[1]]]) {
      document.getElementById(id).value = host;
      document.getElementById(id).dispatchEvent(new Event('change'));
    }''', source, target)
    page.wait("return document.querySelector('#way tbody tr')")
    return page.run('''return [...document.querySelectorAll('#way tbody tr')]
      .map((r) => r.cells[0].textContent + '.' + r.cells[1].textContent);''')


def click(page, selector):
    """Clicks an element, which may be a part of a drawing."""
    page.run("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))", selector)


def keyboard(page):
    """Returns true if a switch can be chosen without a pointer."""
    page.run("document.querySelector('[data-switch=\"s1-0\"]').focus()")
    page.driver.switch_to.active_element.send_keys('\ue007')  # Enter
    return page.run("return document.querySelector('#details h2').textContent") == 's1-0'


def live(page, arguments):
    """Observes a running fabric."""
    page.wait("return document.querySelectorAll('.switch').length > 0 && history().frames.length > 2", 60)
    # Send traffic only once the browser has started, as its start-up time depends on the machine.
    with subprocess.Popen(arguments.traffic, shell=True, stdout=subprocess.DEVNULL) as traffic:
        page.wait('return history().last.delivered > 1000', 60)
        seen = look_at(page, arguments)
        traffic.wait()
    return seen


def capture_shown(page, drbctl):
    """Returns whether the map and the events show that a capture of a switch begins and ends."""
    note = "return document.querySelector('[data-switch=\"s1-6\"] .note').textContent"
    with subprocess.Popen([drbctl, 'capture', 's1-6', '-w', os.devnull], stderr=subprocess.DEVNULL) as capture:
        page.wait(f"{note} === 'capturing'")
        capture.send_signal(signal.SIGINT)
    page.wait(f"{note} !== 'capturing'")
    return all(page.run(f"return document.querySelector('#events').textContent.includes('s1-6: a capture {word}')")
               for word in ('begins', 'ends'))


def look_at(page, arguments):
    """Observes the fabric while it carries traffic."""
    seen = {'switches': page.elements('.switch'), 'links': page.elements('.link'),
            'hosts': page.elements('.host'), 'up': page.elements('.switch[data-state="running"]')}
    seen.update(compare_with_watch(page, arguments.drbctl))
    # The traffic may end before a busy machine has done what follows.
    seen['redirected'] = page.run("return document.getElementById('redirected').textContent")
    seen['way'] = default_way(page, 'h4', 'h10')
    page.shot('page-path')
    seen['words'] = {'page-path': page.words()}
    seen['keyboard'] = keyboard(page)
    click(page, '[data-link="s1-0.u0"]')
    page.size(390, 900)
    seen['phone_overflow'] = page.run('return document.documentElement.scrollWidth - innerWidth')
    page.size(1240, 880)
    page.run('choose(null, null)')
    seen['capture'] = capture_shown(page, arguments.drbctl)
    subprocess.run(arguments.kill, shell=True, check=True)
    seen['marked_s'] = page.wait(
        "return document.querySelector('[data-switch=\"s2-1\"]').dataset.state === 'dead'")
    page.wait("return document.querySelectorAll('.link:not([data-state=\"up\"])').length >= 4")
    seen['dead_links'] = page.elements('.link:not([data-state="up"])')
    seen['dead_switches'] = page.elements('.switch.down[data-state="dead"]')
    seen['event'] = page.run("return document.querySelector('#events').textContent.includes('s2-1 dead (was running)')")
    page.shot('page-down')
    seen['words']['page-down'] = page.words()
    with subprocess.Popen(arguments.stop, shell=True, stdout=subprocess.DEVNULL):
        page.wait("return document.querySelector('[data-switch=\"s2-3\"]').dataset.state === 'stopped'")
    page.wait("return document.querySelector('#events').textContent.includes('s2-3 stopped (was running)')")
    seen['up_then'] = page.run("return document.getElementById('switches').textContent")
    # A page without a connection for a while fetches what it missed.
    page.run('source.close()')
    time.sleep(4)
    lost_at = page.run('return history().last.unixMs')
    page.run('source.onerror()')
    page.wait(f'return history().last.unixMs > {lost_at} + 4000')
    seen.update(page.run(f"""return (async () => {{
        const there = new Set(history().frames.map((frame) => frame.unixMs)), end = history().last.unixMs;
        const lines = (await (await fetch('api/history')).text()).trim().split('\\n');
        const since = lines.map((line) => JSON.parse(line).unix_ms).filter((time) => time > {lost_at} && time <= end);
        return {{since_lost: since.length, missed: since.filter((time) => !there.has(time)).length}};
        }})();"""))
    # A page that is opened now begins with what was before.
    page.driver.get(arguments.url)
    page.wait("return document.getElementById('connection').textContent === 'live'")
    seen['remembered_s'] = page.run('return (history().last.unixMs - history().frames[0].unixMs) / 1e3')
    seen['remembered'] = page.run(
        "return document.querySelector('#events').textContent.includes('s2-1 dead (was running)')")
    return seen


def play(page, arguments):
    """Observes a recording."""
    if arguments.file:
        page.driver.find_element(By.ID, 'file').send_keys(os.path.abspath(arguments.file))
    page.wait("return document.body.classList.contains('recording') && history().tree", 60)
    said = page.run("return document.getElementById('connection').textContent")
    page.run("document.getElementById('speed').value = '10'; play(true)")
    seen = {'looks': page.run('return history().frames.length'), 'fps': page.frames_per_second(arguments.frames_s),
            'switches': page.run('return history().tree.switches'), 'folded': page.elements('.folded'), 'said': said}
    page.run('play(false); look(Math.floor(history().frames.length * 0.6))')
    seen['delivered'] = page.run('return Math.max(...history().frames.map((f) => f.delivered))')
    for when, at in ('at_end', 'history().frames.length - 1'), ('before', 'Math.floor(history().frames.length * 0.6)'):
        page.run(f'look({at})')
        seen[when] = page.run("return document.getElementById('clock').textContent")
    seen['shown'] = page.run("return document.getElementById('delivered').textContent")
    if seen['folded']:
        click(page, '[data-pod="1"]')
        seen['unfolded_switches'] = page.elements('.switch')
    return seen


def main():
    """Opens the page, observes it, and prints the observations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--shots', metavar='DIR')
    kinds = parser.add_subparsers(dest='kind', required=True)
    one = kinds.add_parser('live')
    one.add_argument('url')
    one.add_argument('drbctl')
    one.add_argument('traffic')
    one.add_argument('kill')
    one.add_argument('stop')
    other = kinds.add_parser('play')
    other.add_argument('url')
    other.add_argument('--frames-s', type=float, default=0.5, help='count frames for so many seconds')
    other.add_argument('file', nargs='?')
    arguments = parser.parse_args()
    page = Page(arguments.url, arguments.shots)
    try:
        seen = (live if arguments.kind == 'live' else play)(page, arguments)
        base = arguments.url if arguments.url.startswith('file:') else arguments.url.rstrip('/') + '/'
        seen['elsewhere'] = [u for u in page.requests() if not u.startswith((base, 'data:', 'blob:', 'chrome:'))]
        seen['complaints'] = page.complaints()
    finally:
        page.close()
    print(json.dumps(seen))
    return 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""How smooth the HTML report of many findings is: real time, in headless Chromium.

    tests/web/bench_page.py [--cli build/bin/quantgate] [--findings 10000] [--times 5]

`drawn` is the time from an action until the frame that shows it, `script` the part of it in the page's
own code. Medians of all runs and the worst; the machine's load is printed beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser  # noqa: E402
from devtools import Tab  # noqa: E402
from many_findings import many_findings  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

# A frame is on the screen when the task after its requestAnimationFrame runs.
TOOLS = """
const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
const one = selector => document.querySelector(selector);
const key = name => (document.activeElement || document.body).dispatchEvent(
  new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
"""

LOADED = TOOLS + """
await frame();
const [timing] = performance.getEntriesByType('navigation');
return { load: timing.loadEventEnd, drawn: performance.now(), findings: one('#count').innerText,
         rows: document.querySelectorAll('.row').length };
"""

ACTIONS = TOOLS + """
const times = [];
const timed = async (name, act) => {
  await frame();
  const start = performance.now();
  act();
  const script = performance.now() - start;
  await frame();
  times.push([name, script, performance.now() - start]);
};
const search = text => {
  one('#search').value = text;
  one('#search').dispatchEvent(new Event('input', { bubbles: true }));
};
for (const text of ['b', 'block4', 'block40', 'block40.reshape805'])
  await timed('type in the search', () => search(text));
await timed('clear the search', () => search(''));
one('#search').blur();
for (let i = 0; i < 20; ++i) await timed('next finding (j)', () => key('j'));
await timed('last finding (End)', () => key('End'));
await timed('first finding (Home)', () => key('Home'));
await timed('change the theme', () => one('#theme').click());
const box = one('#list');
for (let i = 0; i < 40; ++i)
  await timed('jump to another place', () => { box.scrollTop = (i * 7919 * 58) % box.scrollHeight; });
box.scrollTop = 0;
await frame();
let last = performance.now();
for (let i = 0; i < 120; ++i) {
  box.scrollTop += 300;
  await new Promise(done => requestAnimationFrame(done));
  const now = performance.now();
  times.push(['frame while scrolling', 0, now - last]);
  last = now;
}
return times;
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "bin" / "quantgate"))
    parser.add_argument("--findings", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=5)
    flags = parser.parse_args()
    if browser.CHROMIUM is None:
        print("SKIPPED: no Chromium")
        return 0
    loads: dict[str, list[float]] = {"load": [], "drawn": []}
    actions: dict[str, tuple[list[float], list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        model, page = Path(folder) / "m.json", Path(folder) / "m.html"
        model.write_text(json.dumps(many_findings(flags.findings)))
        start = time.monotonic()
        subprocess.run([flags.cli, "check", str(model), "--format", "html", "-o", str(page)],
                       stderr=subprocess.DEVNULL)
        took = time.monotonic() - start
        size = page.stat().st_size
        for _ in range(flags.times):
            with Tab() as tab:
                tab.open(page.as_uri())
                loaded = tab.run(LOADED)
                for name, values in loads.items():
                    values.append(loaded[name])
                for name, script, drawn in tab.run(ACTIONS):
                    both = actions.setdefault(name, ([], []))
                    both[0].append(script)
                    both[1].append(drawn)
    print(f"{loaded['findings']}, {loaded['rows']} rows drawn; {size / 1e6:.1f} MB, "
          f"written in {took:.2f} s; {flags.times} runs")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print(f"{'ms':24}{'median':>8}{'worst':>8}{'script':>8}")
    for name, words in (("load", "load event"), ("drawn", "first frame drawn")):
        print(f"{words:24}{median(loads[name]):8.0f}{max(loads[name]):8.0f}")
    for name, (script, drawn) in actions.items():
        own = f"{median(script):8.1f}" if any(script) else ""
        print(f"{name:24}{median(drawn):8.1f}{max(drawn):8.1f}{own}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

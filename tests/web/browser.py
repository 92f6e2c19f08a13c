"""Opening pages in headless Chromium: scripts that drive a page, and screenshots of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import unescape
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for name in NAMES if (path := shutil.which(name))), None)
MISSING = "no Chromium here: the page is not tested"

# Runs before the page's own script: what a hostile name would call leaves a mark.
GUARD = """<script>window.forged = []; window.problems = [];
for (const name of ['alert', 'confirm', 'prompt']) window[name] = text => forged.push(String(text));
window.addEventListener('error', event => problems.push(String(event.message)));
window.addEventListener('securitypolicyviolation', event => problems.push('csp ' + event.blockedURI));
</script>"""

DRIVER = """<script>window.addEventListener('load', async () => {
const wait = ms => new Promise(done => setTimeout(done, ms));
// Without a change to draw no frame comes.
const frame = () => Promise.race([wait(200), new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))]);
const key = (name, target) => (target || document.activeElement).dispatchEvent(
  new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
const all = selector => [...document.querySelectorAll(selector)];
const one = selector => document.querySelector(selector);
let result;
try { await frame(); await wait(50); result = await (async () => { %s })(); }
catch (error) { result = { error: String(error.stack || error) }; }
const box = document.createElement('pre');
box.id = 'result';
box.textContent = JSON.stringify({ result, forged, problems });
document.body.append(box);
});</script>"""


def chromium(*arguments: str, timeout: int = 120) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", f"--user-data-dir={profile}", *arguments],
            capture_output=True, text=True, timeout=timeout)


def drive(page: str, script: str, *, fragment: str = "", size: tuple[int, int] = (1400, 1000)) -> dict:
    """What `script`, the body of an async function inside the page, returns."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page.replace("<head>", "<head>" + GUARD, 1)
                        .replace("</body>", DRIVER % script + "</body>", 1))
        run = chromium("--virtual-time-budget=20000", f"--window-size={size[0]},{size[1]}",
                       "--dump-dom", file.as_uri() + fragment)
    match = re.search(r'<pre id="result">(.*?)</pre>', run.stdout, re.S)
    if match is None:
        raise AssertionError("the page's script did not end: " + run.stderr[-2000:])
    outcome = json.loads(unescape(match.group(1)))
    if outcome["problems"] or outcome["forged"]:
        raise AssertionError(str(outcome))
    return outcome["result"]


def screenshot(page: str, file: Path, *, fragment: str = "", size: tuple[int, int] = (1400, 1000)
               ) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page)
        run = chromium("--virtual-time-budget=8000", f"--screenshot={file}",
                       f"--window-size={size[0]},{size[1]}", source.as_uri() + fragment)
    if not file.exists():
        raise AssertionError(run.stderr[-2000:])

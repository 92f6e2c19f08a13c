"""The page of `make web` in headless Chromium, with files of the disk given to it."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import threading
import unittest
from pathlib import Path
from typing import Any

import browser
from devtools import Tab

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(os.environ.get("QUANTGATE_PAGE", ROOT / "build" / "web" / "page")) / "index.html"
CLI = os.environ.get("QUANTGATE_CLI", str(ROOT / "build" / "bin" / "quantgate"))
EXAMPLES = ROOT / "docs" / "examples"
AIMET = ROOT / "tests" / "data" / "aimet"
MISSING = browser.MISSING if browser.CHROMIUM is None else "" if PAGE.is_file() else f"no page at {PAGE}: make web"


class PageTab(Tab):
    """A tab that knows the page, its network and its files."""

    def __init__(self, size: tuple[int, int] = (1400, 1000)) -> None:
        self.requests: list[str] = []
        self.frames: list[str] = []  # sessions of frames in processes of their own
        super().__init__(size)
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        for domain in ("Network", "DOM", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def message(self, until: float) -> dict[str, Any]:
        message = super().message(until)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if message.get("method") == "Target.attachedToTarget" and message["params"]["targetInfo"]["type"] == "iframe":
            self.frames.append(message["params"]["sessionId"])
        return message

    def in_frame(self, expression: str) -> Any:
        """Its value in the newest frame; None while there is none yet, or while another page is loaded into it."""
        try:
            return self._evaluated_in_frame(expression)
        except RuntimeError as error:
            if not re.search("Cannot find context|Session with given id not found", str(error)):
                raise
            return None

    def _evaluated_in_frame(self, expression: str) -> Any:
        if self.frames:
            own, self.session = self.session, self.frames[-1]
            try:
                return self.call("Runtime.evaluate", expression=expression)["result"].get("value")
            finally:
                self.session = own
        children = self.call("Page.getFrameTree")["frameTree"].get("childFrames", [])
        if not children:
            return None
        world = self.call("Page.createIsolatedWorld", frameId=children[-1]["frame"]["id"])["executionContextId"]
        return self.call("Runtime.evaluate", contextId=world, expression=expression)["result"].get("value")

    def wait_in_frame(self, expression: str) -> Any:
        """Its first value that is neither empty nor null; the last one after six seconds."""
        for _ in range(60):
            if value := self.in_frame(expression):
                break
            self.run("await new Promise(done => setTimeout(done, 100));")
        return value

    def ready(self, url: str = "") -> None:
        self.open(url or PAGE.as_uri())
        self.run("await quantgate.ready")

    def choose(self, *paths: Path, selector: str = "#files") -> None:
        """As in the dialogue of the system."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def mount(self, *paths: Path) -> None:
        """For the program alone: the page shows nothing of it."""
        self.run("if (!document.getElementById('given')) {"
                 " const input = document.createElement('input'); input.type = 'file'; input.multiple = true; input.id = 'given';"
                 " input.hidden = true; document.body.append(input); }")  # fmt: skip
        self.choose(*paths, selector="#given")
        self.run("await quantgate.program.files([...document.getElementById('given').files].map(file => ({ name: file.name, data: file })));")

    def program(self, *words: str, result: str = "") -> dict[str, Any]:
        """Status, outputs, and the text of `result` under "text"."""
        return self.run(f"""const done = await quantgate.program.run({list(words)!r}, {[result] if result else []!r});
            const bytes = done.files && done.files[{result!r}];
            return {{ status: done.status, out: done.out, err: done.err, text: bytes ? new TextDecoder().decode(bytes) : '',
                      milliseconds: done.milliseconds }};""")

    def wait(self, condition: str) -> Any:
        return self.run(f"""for (let i = 0; i < 600; ++i) {{ const value = {condition}; if (value) return value;
            await new Promise(done => setTimeout(done, 50)); }} throw new Error('never: ' + {condition!r} + ' / ' + document.getElementById('status').innerText);""")


def command_line(*words: str | Path, cwd: Path = EXAMPLES) -> subprocess.CompletedProcess[str]:
    return subprocess.run([CLI, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300)


class Server:
    """A web server of a folder, on a free port of this machine."""

    def __init__(self, folder: Path) -> None:
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@unittest.skipIf(MISSING, MISSING)
class PageCase(unittest.TestCase):
    def tab(self, size: tuple[int, int] = (1400, 1000)) -> PageTab:
        tab = PageTab(size)
        self.addCleanup(tab.__exit__, None, None, None)
        return tab

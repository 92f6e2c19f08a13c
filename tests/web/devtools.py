"""A page in headless Chromium in real time, driven through the DevTools protocol."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
from types import TracebackType
from typing import Any

import browser


class Tab:
    """One tab; commands go through a pipe, so no port is opened."""

    def __init__(self, size: tuple[int, int] = (1400, 1000), timeout: float = 120) -> None:
        self.timeout = timeout
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.come, theirs_out = os.pipe()

        def descriptors_3_and_4() -> None:
            high = [os.dup(theirs_in), os.dup(theirs_out)]
            for fd, wanted in zip(high, (3, 4)):
                os.dup2(fd, wanted)

        self.process = subprocess.Popen(
            [str(browser.CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run",
             f"--window-size={size[0]},{size[1]}", f"--user-data-dir={self.profile.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=descriptors_3_and_4)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest = b""
        self.number = 0
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        self.call("Page.enable")

    def __enter__(self) -> Tab:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        os.close(self.to)
        os.close(self.come)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self.rest:
            if not select.select([self.come], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium did not answer")
            part = os.read(self.come, 1 << 20)
            if not part:
                raise EOFError("Chromium ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        call: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        until = time.monotonic() + self.timeout
        while (answer := self.message(until)).get("id") != self.number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url: str) -> None:
        """Returns when the page's load event has come."""
        self.call("Page.navigate", url=url)
        self.run("await new Promise(done => document.readyState === 'complete' ? done()"
                 " : addEventListener('load', done));")

    def run(self, script: str) -> Any:
        """What `script`, the body of an async function inside the page, returns."""
        answer = self.call("Runtime.evaluate", expression=f"(async () => {{ {script} }})()",
                           awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

"""The page of `make web`: it says what the command line says, asks for nothing, and can be used by everybody.

`tools/dev/qgdev test web` runs this. Figures go to QUANTGATE_PAGE_FIGURES as JSON, which `--record` holds to their
bounds; screenshots to QUANTGATE_SCREENSHOTS.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import page_case  # noqa: E402
from many_findings import many_findings  # noqa: E402
from page_case import AIMET, EXAMPLES, PAGE, ROOT, PageCase, PageTab, Server, command_line  # noqa: E402

sys.path.insert(0, str(ROOT / "tools" / "dev" / "zoo"))
import draws  # noqa: E402
import recordings  # noqa: E402

MODELS = sorted(path.name for path in EXAMPLES.glob("*.onnx"))
ZOO_EVERY = 6
figures: dict[str, object] = {}


def tearDownModule() -> None:
    if name := os.environ.get("QUANTGATE_PAGE_FIGURES"):
        Path(name).write_text(json.dumps(figures, indent=1))


def zoo(folder: Path) -> list[Path]:
    """Every sixth recorded export, unpacked."""
    paths = []
    found = recordings.recordings(draws.Draws().development(), recordings.FOLDERS["development"])
    for recording in list(found)[::ZOO_EVERY]:
        for form, model in recording.models().items():
            path = folder / f"{recording.export}-{form}.onnx"
            path.write_bytes(model)
            paths.append(path)
    return paths


def without_times(text: str) -> str:
    return re.sub(r'"milliseconds": [\d.]+', '"milliseconds": 0', text)


class Equal(PageCase):
    """What the program says in the browser is what the command line says, byte by byte."""

    def same(self, tab: PageTab, *words: str, folder: Path = EXAMPLES, result: str = "r.json") -> None:
        with self.subTest(" ".join(words)):
            expected = command_line(*words, cwd=folder)
            done = tab.program(*words, *(["-o", result] if result else []), result=result)
            text = done["text"] if result else done["out"] + "\n"
            self.assertEqual((done["status"], without_times(text)), (expected.returncode, without_times(expected.stdout)), done["err"])
            self.assertTrue(text.strip())

    def test_examples(self) -> None:
        tab = self.tab()
        tab.ready()
        self.assertGreater(len(MODELS), 8)
        for model in MODELS:
            tab.mount(EXAMPLES / model)
            for words in ((), ("--soc", "SM8550"), ("--arch", "v68", "--sdk", "2.25"), ("--as-run", "--suggest")):
                self.same(tab, "check", model, *words, "--format", "json")
            self.same(tab, "check", model, "--all-socs", "--format", "json")
            self.same(tab, "check", model, "--as-run", "--soc", "SM8550", result="")
            self.same(tab, "check", model, "--soc", "SM8550", "--format", "html")
        figures["examples"] = len(MODELS)

    def test_other_files(self) -> None:
        tab = self.tab()
        tab.ready()
        fixtures = sorted((ROOT / "tests" / "fixtures" / "rules").glob("*/bad.json"))
        self.assertGreater(len(fixtures), 40)
        for path in fixtures[::4]:
            tab.mount(path)
            self.same(tab, "check", "bad.json", "--format", "json", folder=path.parent)
        tab.mount(EXAMPLES / "planted_qnn.json")
        self.same(tab, "check", "planted_qnn.json", "--format", "json")

    def test_zoo(self) -> None:
        tab = self.tab()
        tab.ready()
        with tempfile.TemporaryDirectory() as folder:
            models = zoo(Path(folder))
            self.assertGreater(len(models), 20)
            for path in models:
                tab.mount(path)
                self.same(tab, "check", path.name, "--format", "json", folder=path.parent)
            figures["zoo"] = len(models)

    def test_targets(self) -> None:
        tab = self.tab()
        tab.ready()
        self.same(tab, "targets", "--format", "json")

    def test_fixed_files(self) -> None:
        tab = self.tab()
        tab.ready()
        for model in ("planted.onnx", "mobilenetv2_16a8w.onnx", "planted_qnn.json"):
            with tempfile.TemporaryDirectory() as folder:
                expected = command_line("fix", EXAMPLES / model, "--soc", "SM8550", "-o", Path(folder) / "f")
                tab.mount(EXAMPLES / model)
                done = tab.run(f"""const done = await quantgate.program.run({['fix', model, '--soc', 'SM8550', '-o', 'f']!r}, ['f']);
                    let text = ''; for (const byte of done.files['f']) text += String.fromCharCode(byte);
                    return {{ status: done.status, bytes: btoa(text) }};""")
                self.assertEqual(done["status"], expected.returncode, expected.stderr)
                self.assertEqual(base64.b64decode(done["bytes"]), (Path(folder) / "f").read_bytes(), model)

    def test_what_is_unusable(self) -> None:
        tab = self.tab()
        tab.ready()
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("none.onnx", b"\x08"), ("text.json", b"{"), ("short.onnx", (EXAMPLES / MODELS[0]).read_bytes()[:5000])):
                (Path(folder) / name).write_bytes(data)
                expected = command_line("check", name, cwd=Path(folder))
                tab.mount(Path(folder) / name)
                done = tab.program("check", name)
                self.assertEqual((done["status"], done["err"].strip()), (expected.returncode, expected.stderr.strip()), name)
        done = tab.program("fix", "none.onnx", "--verify", "-o", "f")
        self.assertEqual(done["status"], 2)


class Alone(PageCase):
    """One file, no request, any origin."""

    def test_it_is_one_small_file(self) -> None:
        self.assertEqual([path.name for path in PAGE.parent.iterdir()], ["index.html"])
        data = PAGE.read_bytes()
        figures["bytes"], figures["compressed"] = len(data), len(gzip.compress(data, 9))
        self.assertLessEqual(len(data), 3_000_000)

    def test_the_policy_allows_no_connection(self) -> None:
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', PAGE.read_text())[1]  # type: ignore[index]
        rules = {name: set(values) for name, *values in (part.split() for part in policy.split(";"))}
        self.assertEqual(rules["default-src"], {"'none'"})
        self.assertEqual(set(rules) - {"default-src", "script-src", "worker-src", "style-src", "img-src", "base-uri", "form-action"}, set())
        self.assertEqual({word for word in rules["script-src"] if not word.startswith("'sha256-")}, {"'wasm-unsafe-eval'"})
        self.assertEqual((rules["worker-src"], rules["img-src"], rules["base-uri"]), ({"blob:"}, {"data:"}, {"'none'"}))
        page = PAGE.read_text()
        script = page[page.rindex("<script>") + 8:page.rindex("</script>")]
        self.assertIn(f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'", rules["script-src"])

    def works(self, url: str, alone: set[str]) -> None:
        tab = self.tab()
        tab.ready(url)
        tab.choose(EXAMPLES / "planted.onnx")
        tab.wait("document.getElementById('status').innerText.includes('does not fit')")
        for view in ("run", "chips", "fix", "plan", "report"):
            tab.run(f"document.querySelector('input[value={view}]').click();")
            tab.wait("!document.getElementById('status').innerText.startsWith('Reading')")
        self.assertEqual({url for url in tab.requests if not url.startswith(("blob:", "data:", "about:"))}, alone)

    def test_from_a_disk(self) -> None:
        self.works(PAGE.as_uri(), {PAGE.as_uri()})

    def test_from_a_web_server(self) -> None:
        server = Server(PAGE.parent)
        self.addCleanup(server.close)
        self.works(server.url, {server.url})

    def test_what_asks_for_something_is_stopped(self) -> None:
        server = Server(PAGE.parent)
        self.addCleanup(server.close)
        tab = self.tab()
        tab.ready(server.url)
        tab.requests.clear()
        outcome = tab.run("""const tried = [];
            const seen = []; addEventListener('securitypolicyviolation', event => seen.push(event.effectiveDirective));
            for (const ask of [() => fetch('/index.html'), () => new Promise((yes, no) => { const r = new XMLHttpRequest(); r.onload = yes; r.onerror = no; r.open('GET', '/x'); r.send(); }),
                               () => Promise.reject(navigator.sendBeacon('/x', 'y') && 'sent'), () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = '/x.png'; }),
                               () => new Promise((yes, no) => { const w = new WebSocket('ws://127.0.0.1:1/'); w.onopen = yes; w.onerror = no; })])
              tried.push(await ask().then(() => 'came', () => 'stopped'));
            await new Promise(done => setTimeout(done, 300));
            return { tried, seen };""")
        self.assertEqual(set(outcome["tried"]), {"stopped"})
        self.assertGreaterEqual(len(outcome["seen"]), 4)
        from_worker = tab.run("""const source = "fetch('" + location.href + "').then(() => postMessage('came'), () => postMessage('stopped'))";
            return await new Promise(done => { const worker = new Worker(URL.createObjectURL(new Blob([source]))); worker.onmessage = event => done(event.data); });""")
        self.assertEqual(from_worker, "stopped")


class Large(PageCase):
    """Files are read by ranges."""

    def weights(self, path: Path, size: int, layers: int = 4) -> None:
        """A chain of Gemm-like nodes whose float weights are a hole of a sparse file: it takes no disk."""

        def varint(value: int) -> bytes:
            out = b""
            while value > 127:
                out += bytes([value & 127 | 128])
                value >>= 7
            return out + bytes([value])

        def field(number: int, content: bytes) -> bytes:
            return varint(number << 3 | 2) + varint(len(content)) + content

        def value_info(name: str, dims: list[int]) -> bytes:
            shape = b"".join(field(1, b"\x08" + varint(dim)) for dim in dims)
            return field(1, name.encode()) + field(2, field(1, b"\x08\x01" + field(2, shape)))

        per = size // layers // 4096 * 4096
        rows = per // 4096
        tensors = [b"\x08" + varint(1024) + b"\x08" + varint(rows) + b"\x10\x01" + field(8, f"w{i}".encode()) + varint(9 << 3 | 2) + varint(per) for i in range(layers)]
        nodes = b"".join(field(1, field(1, b"x") + field(1, f"w{i}".encode()) + field(2, f"y{i}".encode()) + field(3, f"mm{i}".encode()) + field(4, b"MatMul"))
                         for i in range(layers))
        rest = field(11, value_info("x", [1, 1024])) + b"".join(field(12, value_info(f"y{i}", [1, rows])) for i in range(layers))
        heads = [varint(5 << 3 | 2) + varint(len(tensor) + per) + tensor for tensor in tensors]
        graph = sum(len(head) + per for head in heads) + len(nodes) + len(rest)
        with path.open("wb") as file:
            file.write(b"\x08\x08" + field(8, b"\x10\x11") + varint(7 << 3 | 2) + varint(graph) + nodes)
            for head in heads:
                file.write(head)
                file.seek(per, os.SEEK_CUR)
            file.write(rest)

    def test_two_gigabytes(self) -> None:
        tab = self.tab()
        tab.ready()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large.onnx"
            self.weights(path, 2_200_000_000)
            self.assertGreater(path.stat().st_size, 2 << 30)
            expected = command_line("check", "large.onnx", "--format", "json", cwd=Path(folder))
            tab.mount(path)
            done = tab.program("check", "large.onnx", "--format", "json", "-o", "r.json", result="r.json")
            self.assertEqual((done["status"], done["text"]), (expected.returncode, expected.stdout), done["err"])
            memory = tab.run("return (await quantgate.program.call('memory')).bytes;")
            figures["large"] = {"bytes": path.stat().st_size, "milliseconds": done["milliseconds"], "memory": memory}
            self.assertLess(memory, 128 << 20)

    def test_a_long_model_is_checked_and_fixed_as_a_short_one(self) -> None:
        """Real weights beyond the length from which a file is read by ranges: the planted model with ballast."""
        tab = self.tab()
        tab.ready()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.onnx"
            # A second field of the model that nobody knows is copied, so ballast stands in an unused constant.
            path.write_bytes(with_ballast((EXAMPLES / "planted.onnx").read_bytes(), 40_000_000))
            for words in (("check", "long.onnx", "--soc", "SM8550", "--format", "json"), ("check", "long.onnx", "--as-run", "--format", "json")):
                expected = command_line(*words, cwd=Path(folder))
                tab.mount(path)
                done = tab.program(*words, "-o", "r.json", result="r.json")
                self.assertEqual((done["status"], done["text"]), (expected.returncode, expected.stdout), done["err"])
            expected = command_line("fix", "long.onnx", "--soc", "SM8550", "-o", "fixed.onnx", cwd=Path(folder))
            self.assertLess(expected.returncode, 2, expected.stderr)
            digest = tab.run("""const done = await quantgate.program.run(['fix', 'long.onnx', '--soc', 'SM8550', '-o', 'f.onnx'], ['f.onnx']);
                if (!done.files['f.onnx']) return done.err;
                const small = done.files['f.onnx'].length;
                const blob = new Blob(quantgate.filled(done.files['f.onnx'], 'long.onnx', document.getElementById('given').files[0]));
                let hash = 0; const bytes = new Uint8Array(await blob.arrayBuffer());
                for (let i = 0; i < bytes.length; ++i) hash = (hash * 31 + bytes[i]) >>> 0;
                return { small, size: bytes.length, hash };""")
            data = (Path(folder) / "fixed.onnx").read_bytes()
            self.assertEqual(digest["size"], len(data), digest)
            self.assertLess(digest["small"], 200_000)
            value = 0
            for byte in data:
                value = (value * 31 + byte) & 0xFFFFFFFF
            self.assertEqual(digest["hash"], value)


def with_ballast(model: bytes, size: int) -> bytes:
    """An ONNX file with another initializer, of a float tensor that no node reads."""

    def varint(value: int) -> bytes:
        out = b""
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    def field(number: int, content: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(content)) + content

    ballast = os.urandom(4096) * (size // 4096)
    tensor = b"\x08" + varint(len(ballast) // 4) + b"\x10\x01" + field(8, b"ballast") + field(9, ballast)
    out, at = b"", 0
    while at < len(model):
        begin = at
        tag, at = model[at], at + 1
        while model[at - 1] & 128:
            at += 1
        if tag & 7 == 0:
            while model[at] & 128:
                at += 1
            at += 1
        else:
            length, shift = 0, 0
            while True:
                byte, at = model[at], at + 1
                length |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            at += length
            if tag >> 3 == 7:
                out += field(7, model[at - length:at] + field(5, tensor))
                continue
        out += model[begin:at]
    return out


class Fast(PageCase):
    """Bounds on this machine, where others work too; the least of several runs counts."""

    def test_first_verdict(self) -> None:
        least = 1e9
        for _ in range(5):
            tab = self.tab()
            tab.open(PAGE.as_uri())
            tab.choose(EXAMPLES / "mobilenetv2_8a8w.onnx")
            tab.wait("performance.getEntriesByName('verdict').length")
            least = min(least, tab.run("return performance.getEntriesByName('verdict')[0].startTime;"))
        figures["first_verdict_ms"] = least

    def test_a_thousand_nodes(self) -> None:
        tab = self.tab()
        tab.ready()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "thousand.json"
            path.write_text(json.dumps(many_findings(1000)))
            tab.mount(path)
            times = [tab.program("check", "thousand.json", "--format", "json", "-o", "r", result="r") for _ in range(7)]
        nodes = json.loads(times[0]["text"])["summary"]["nodes"]
        least = min(done["milliseconds"] for done in times)
        figures["thousand"] = {"nodes": nodes, "milliseconds": least, "first": times[0]["milliseconds"]}
        self.assertGreaterEqual(nodes, 1000)


class Pictures(PageCase):
    def test_screenshots(self) -> None:
        folder = Path(os.environ.get("QUANTGATE_SCREENSHOTS") or self.enterContext(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for name, size, scheme, view in (("page-light", (1280, 1100), "light", "report"), ("page-dark", (1280, 1100), "dark", "report"),
                                         ("page-phone", (390, 844), "light", "report"), ("page-chips", (1280, 900), "light", "chips"),
                                         ("page-run", (1280, 900), "dark", "run"), ("page-fix", (390, 844), "dark", "fix"),
                                         ("page-plan", (1280, 900), "dark", "plan"), ("page-plan-phone", (390, 844), "light", "plan")):
            tab = self.tab(size)
            tab.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 500)
            tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            tab.ready()
            if view == "plan":
                tab.choose(AIMET / "llama_block.json")
            else:
                tab.run("document.getElementById('example').click();")
            tab.wait("document.querySelector('main iframe')")
            tab.run(f"document.querySelector('input[value={view}]').click();")
            tab.wait("!document.getElementById('status').innerText.startsWith('Reading')")
            tab.run("await new Promise(done => setTimeout(done, 600));")
            # Nothing stands beyond the width of the screen.
            self.assertLessEqual(tab.run("return document.documentElement.scrollWidth;"), size[0], name)
            png = base64.b64decode(tab.call("Page.captureScreenshot", format="png")["data"])
            self.assertEqual(struct.unpack(">II", png[16:24]), size)
            self.assertGreater(len(png), 20_000)
            (folder / f"{name}.png").write_bytes(png)


if __name__ == "__main__":
    unittest.main()

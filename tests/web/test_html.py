"""`quantgate check --format html` in headless Chromium: what the page shows and does.

Screenshots go to $QUANTGATE_SCREENSHOTS (docs/images by `tools/dev/qgdev pictures report`), else to a folder
that is removed.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import browser  # noqa: E402
from cli_case import ROOT, CliCase, bad, good  # noqa: E402
from many_findings import many_findings  # noqa: E402

PLANTED = str(ROOT / "docs" / "examples" / "planted.onnx")
HOSTILE = str(ROOT / "tests" / "fixtures" / "formats" / "hostile.json")
TARGET = ("--sdk", "2.51", "--soc", "SM8550")


def png_size(file: Path) -> tuple[int, int]:
    header = file.read_bytes()[:24]
    return struct.unpack(">II", header[16:24])


class Page(CliCase):
    def page(self, *arguments: str, status: int = 1) -> str:
        result = self.run_cli("check", *arguments, "--format", "html")
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def report(self, *arguments: str) -> dict:
        return json.loads(self.run_cli("check", *arguments, "--format", "json").stdout)


class Source(Page):
    def test_it_is_self_contained(self) -> None:
        page = self.page(PLANTED, *TARGET)
        for outside in ("http://", "https://", "src=", "@import", "url("):
            self.assertNotIn(outside, page.replace("http://www.w3.org/2000/svg", ""), outside)

    def test_names_can_not_leave_the_data(self) -> None:
        page = self.page(HOSTILE, *TARGET)
        begin = page.index('id="data">') + len('id="data">')
        data = page[begin:page.index("</script>", begin)]
        self.assertNotIn("<", data)
        nodes = json.loads(data)["reports"][0]["nodes"]
        self.assertIn("</script><img src=x onerror=alert(2)>", [node["name"] for node in nodes])


@unittest.skipIf(browser.CHROMIUM is None, browser.MISSING)
class Browser(Page):
    def test_summary_and_worst_finding_first(self) -> None:
        report = self.report(PLANTED, *TARGET)
        seen = browser.drive(self.page(PLANTED, *TARGET), """
            return { title: document.title, model: one('#model').innerText,
              statement: one('#statement').innerText, count: one('#count').innerText,
              shares: all('.share').map(b => [b.dataset.verdict, Number(b.querySelector('b').innerText)]),
              first: one('.row .top').innerText, message: one('.message').innerText,
              selected: all('.row[aria-selected=true]').length };""")
        counts = {k: v for k, v in report["summary"].items() if k != "nodes" and v}
        self.assertEqual({k: v for k, v in seen["shares"]}, counts)
        self.assertIn("planted.onnx", seen["title"])
        self.assertIn("SM8550", seen["model"])
        self.assertIn(f"{counts['rejected']} of {report['summary']['nodes']} nodes would be rejected",
                      seen["statement"])
        self.assertEqual(seen["count"], f"{len(report['findings'])} findings")
        self.assertIn("rejected", seen["first"])
        rejected = [f["message"] for f in report["findings"] if f["consequence"] == "rejected"]
        self.assertEqual(seen["message"], rejected[0])
        self.assertEqual(seen["selected"], 1)

    def test_a_finding_draws_its_node_ports_and_ranges(self) -> None:
        report = self.report(PLANTED, *TARGET)
        index = next(i for i, f in enumerate(report["findings"]) if f["code"] == "QG301")
        finding = report["findings"][index]
        seen = browser.drive(self.page(PLANTED, *TARGET), """
            return { center: one('.graph .center text').textContent, names: all('.graph .node title').map(t => t.textContent),
              hot: all('.graph .tag.hot').map(t => t.textContent), edges: all('.graph path.edge').length,
              ports: all('.port .who b').map(b => b.textContent), hotPort: all('.port.hot .who b').map(b => b.textContent),
              bars: all('.port.hot rect').length, odd: all('.port.hot rect.odd').length,
              explain: one('.explain').innerText.length, found: one('.found').innerText };""",
            fragment=f"#f={index}")
        self.assertEqual(seen["center"], finding["op"])
        self.assertTrue(any(name.startswith(finding["node"]) for name in seen["names"]))
        self.assertEqual(len(seen["hot"]), 1)
        self.assertTrue(seen["hot"][0].startswith(finding["port"]))
        self.assertGreaterEqual(seen["edges"], 3)
        self.assertIn(finding["port"], seen["ports"])
        self.assertEqual(seen["hotPort"], [finding["port"]])
        # 16 channels, two of them not symmetric.
        self.assertEqual((seen["bars"], seen["odd"]), (16, 2))
        self.assertGreater(seen["explain"], 100)
        self.assertIn(finding["found"], seen["found"])

    def test_neighbours_can_be_walked(self) -> None:
        seen = browser.drive(self.page(self.path("many.json", many_findings(6))), """
            key('j'); key('j');
            const before = one('.graph .center title').textContent;
            const next = all('.graph .node[role=button]').find(n => !n.classList.contains('center'));
            const name = next.querySelector('title').textContent;
            next.focus(); key('Enter');
            const after = one('.graph .center title').textContent;
            all('.detail h3 button').find(b => b.textContent === 'back to the finding').click();
            return { before, name, after, back: one('.graph .center title').textContent };""")
        self.assertEqual(seen["after"], seen["name"])
        self.assertNotEqual(seen["after"], seen["before"])
        self.assertEqual(seen["back"], seen["before"])

    def test_keys(self) -> None:
        report = self.report(PLANTED, *TARGET)
        seen = browser.drive(self.page(PLANTED, *TARGET), """
            const at = () => one('.row[aria-selected=true]').getAttribute('aria-posinset');
            const steps = [at()];
            key('j'); steps.push(at()); key('ArrowDown'); steps.push(at()); key('k'); steps.push(at());
            key('End'); steps.push(at()); key('Home'); steps.push(at());
            key('1'); const rejected = one('#count').innerText, shown = new Set(all('.row').map(r => r.className));
            key('Escape'); const cleared = one('#count').innerText;
            key('/'); const focused = document.activeElement.id;
            one('#search').value = 'QG301'; one('#search').dispatchEvent(new Event('input', { bubbles: true }));
            const searched = new Set(all('.row .top b').map(b => b.textContent));
            key('Escape'); key('t'); const theme = document.documentElement.dataset.theme;
            key('?'); const help = one('#keys').open;
            return { steps, rejected, shown: [...shown], cleared, focused, searched: [...searched], theme, help };""")
        total = len(report["findings"])
        rejected = sum(f["consequence"] == "rejected" for f in report["findings"])
        self.assertEqual(seen["steps"], ["1", "2", "3", "2", str(total), "1"])
        self.assertEqual(seen["rejected"], f"{rejected} of {total} findings")
        self.assertTrue(all("v-rejected" in name for name in seen["shown"]))
        self.assertEqual(seen["cleared"], f"{total} findings")
        self.assertEqual((seen["focused"], seen["searched"], seen["help"]), ("search", ["QG301"], True))
        self.assertIn(seen["theme"], ("dark", "light"))

    def test_hostile_names_are_text(self) -> None:
        names = [n["name"] for n in self.report(HOSTILE, *TARGET)["nodes"]]
        seen = browser.drive(self.page(HOSTILE, *TARGET), """
            for (let i = 0; i < 6; ++i) { key('j'); await frame(); }
            one('#search').value = 'img src'; one('#search').dispatchEvent(new Event('input', { bubbles: true }));
            await wait(300);
            return { images: all('img').length, text: document.body.innerText };""")
        self.assertEqual(seen["images"], 0)
        self.assertIn("</script><img", seen["text"])
        self.assertGreaterEqual(len(names), 3)

    def test_several_models_are_a_heat_map(self) -> None:
        models = [self.path("a.json", good()), self.path("b.json", bad()), self.path("c.json", "{")]
        seen = browser.drive(self.page(*models, status=2), """
            const rows = all('.runs tbody tr').map(r => r.innerText);
            const before = one('#model').innerText;
            key('n');
            return { rows, before, after: one('#model').innerText,
              selected: one('.runs tr[aria-selected=true]').innerText };""")
        self.assertEqual(len(seen["rows"]), 3)
        self.assertIn("unreadable", seen["rows"][2])
        self.assertIn("a.json", seen["before"])
        self.assertIn("b.json", seen["after"])
        self.assertIn("b.json", seen["selected"])

    def test_a_model_that_fits_says_so(self) -> None:
        seen = browser.drive(self.page(self.path("m.json", good()), status=0), """
            return { statement: one('#statement').innerText, empty: one('#empty').innerText };""")
        self.assertIn("It fits", seen["statement"])
        self.assertIn("Nothing found", seen["empty"])

    def test_ten_thousand_findings_stay_smooth(self) -> None:
        page = self.page(self.path("many.json", many_findings(10_000)))
        seen = browser.drive(page, """
            const box = one('#list'), times = { rows: 0 };
            const timed = (name, run) => { const start = performance.now(); run(); times[name] = performance.now() - start; };
            timed('search', () => { one('#search').value = 'block40'; one('#search').dispatchEvent(new Event('input', { bubbles: true })); });
            const found = one('#count').innerText;
            timed('clear', () => key('Escape'));
            timed('select', () => key('j'));
            timed('end', () => key('End'));
            let most = 0, slowest = 0;
            for (let i = 0; i < 40; ++i) {
              const start = performance.now();
              box.scrollTop = (i * 7919 * 58) % (10000 * 58);
              box.dispatchEvent(new Event('scroll'));
              await frame();
              most = Math.max(most, all('.row').length);
              if (!all('.row').some(r => r.offsetTop <= box.scrollTop + 58 && r.offsetTop + 58 >= box.scrollTop)) times.hole = i;
              slowest = Math.max(slowest, performance.now() - start);
            }
            return { count: one('#count').innerText, found, most, times, height: one('.list .all').style.height };""")
        self.assertEqual(seen["count"], "10000 findings")
        self.assertRegex(seen["found"], r"^\d+ of 10000 findings$")
        self.assertLess(seen["most"], 60, "only rows in sight exist")
        self.assertNotIn("hole", seen["times"], "a row stands wherever one scrolls to")
        self.assertEqual(seen["height"], "580000px")

    def test_screenshots(self) -> None:
        target = os.environ.get("QUANTGATE_SCREENSHOTS")
        folder = Path(target) if target else Path(tempfile.mkdtemp(dir=self.folder))
        # The planted mistakes under their short name.
        (self.folder / "planted.onnx").write_bytes(Path(PLANTED).read_bytes())
        planted = self.page("planted.onnx", *TARGET)
        report = self.report(PLANTED, *TARGET)
        weight = next(i for i, f in enumerate(report["findings"]) if f["code"] == "QG301")
        examples = sorted(str(file) for file in (ROOT / "docs" / "examples").glob("*.onnx"))
        for example in examples:
            (self.folder / Path(example).name).write_bytes(Path(example).read_bytes())
        several = self.page(*[Path(example).name for example in examples], "--soc", "SM8350")
        for name, page, fragment, size in (
                ("report-light", planted, f"#theme=light&f={weight}", (1440, 1180)),
                ("report-dark", planted, f"#theme=dark&f={weight}", (1440, 1180)),
                ("report-narrow", planted, "#theme=light", (620, 1500)),
                ("report-models", several, "#theme=light", (1440, 1180))):
            with self.subTest(name=name):
                file = folder / f"{name}.png"
                file.unlink(missing_ok=True)
                browser.screenshot(page, file, fragment=fragment, size=size)
                self.assertEqual(png_size(file)[0], size[0])
                # A blank page compresses to almost nothing.
                self.assertGreater(file.stat().st_size, 40_000)


if __name__ == "__main__":
    unittest.main()

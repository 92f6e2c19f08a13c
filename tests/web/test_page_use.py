"""The page of `make web` in use: by hand, by keyboard, read aloud, with encodings, fixes and plans.

`tools/dev/qgdev test web` runs this after test_page.py.
"""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from page_case import AIMET, EXAMPLES, ROOT, PageCase, command_line  # noqa: E402


class Use(PageCase):
    def test_without_a_mouse(self) -> None:
        tab = self.tab()
        tab.ready()

        def press(key: str, code: int = 0, text: str = "") -> None:
            for kind in ("keyDown", "keyUp"):
                tab.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **({"text": text} if text and kind == "keyDown" else {}))

        order = []
        for _ in range(9):
            press("Tab", 9)
            order.append(tab.run("const e = document.activeElement; return e.id || e.value || e.tagName;"))
        self.assertEqual(order[:2], ["files", "example"])
        for name in ("backend", "sdk", "soc", "report"):
            self.assertIn(name, order)
        tab.run("document.getElementById('example').focus();")
        press("Enter", 13, "\r")
        tab.wait("document.getElementById('status').innerText.includes('planted.onnx: does not fit')")
        tab.run("document.querySelector('input[value=report]').focus();")
        press("ArrowRight", 39)
        self.assertEqual(tab.run("return document.querySelector('input[name=view]:checked').value;"), "run")
        tab.wait("document.querySelector('main pre')?.innerText.includes('partition') || document.querySelector('main pre')?.innerText.includes('session')")

    def test_the_result_is_reached_by_keyboard(self) -> None:
        """From the choice of views on: what is wished, the copied command, the result and its files; text is scrolled by keys."""
        tab = self.tab()
        tab.ready()
        tab.choose(AIMET / "llama_block.json")
        tab.wait("document.querySelector('main iframe')")
        tab.run("const e = document.querySelector('input[value=plan]'); e.click(); e.focus();")
        tab.wait("document.querySelector('main iframe[title^=Plan]')")
        tab.wait_in_frame("document.readyState === 'complete' && document.title.includes('llama_block')")
        order = []
        while len(order) < 40 and "llama_block.plan.json" not in order:  # the page in the frame has stops of its own
            for kind in ("keyDown", "keyUp"):
                tab.call("Input.dispatchKeyEvent", type=kind, key="Tab", windowsVirtualKeyCode=9)
            order.append(tab.run("const e = document.activeElement; return e.id || e.download || e.tagName;"))
        places = [order.index(name) for name in ("precision", "weights", "copy", "llama_block.plan.html", "llama_block.plan.json")]
        self.assertEqual(places, sorted(places), order)
        tab.run("document.querySelector('input[value=run]').click();")
        tab.wait("document.querySelector('main pre')")
        self.assertEqual(tab.run("return document.querySelector('main pre').tabIndex;"), 0)

    def test_it_is_read_aloud(self) -> None:
        """Every control has a name, what changes is a status, the result is a region."""
        tab = self.tab()
        tab.ready()
        tab.run("document.getElementById('example').click();")
        tab.wait("document.querySelector('main iframe')")
        tab.call("Accessibility.enable")
        nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
        named = {}
        for node in nodes:
            role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
            named.setdefault(role, []).append(name)
            if role in ("button", "combobox", "radio", "textbox", "link", "Iframe"):
                self.assertTrue(name.strip(), node)
        self.assertIn("status", named)
        self.assertIn("main", named)
        self.assertIn("heading", named)
        self.assertLessEqual({"Report", "As run", "All chips", "Fix", "Plan"}, set(named["radio"]))
        self.assertIn("Report of planted.onnx", named["Iframe"])
        tab.run("document.querySelector('input[value=plan]').click();")
        names = {(node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in tab.call("Accessibility.getFullAXTree")["nodes"]}
        self.assertLessEqual({("combobox", "Precision"), ("combobox", "Weights"), ("combobox", "Backend"), ("group", "Show")}, names)
        live = tab.run("const s = document.getElementById('status'); return [s.getAttribute('role'), s.getAttribute('aria-live')];")
        self.assertEqual(live, ["status", "polite"])
        self.assertEqual(tab.run("return document.documentElement.lang;"), "en")

    def test_chips_and_sdks(self) -> None:
        tab = self.tab()
        tab.ready()
        tab.choose(EXAMPLES / "planted.onnx")
        tab.wait("document.querySelector('main iframe')")
        tab.run("""const soc = document.getElementById('soc'); soc.value = 'SM8350'; soc.dispatchEvent(new Event('change'));""")
        tab.wait("document.getElementById('command').innerText.includes('--soc SM8350')")
        tab.run("""const sdk = document.getElementById('sdk'); sdk.value = '2.25'; sdk.dispatchEvent(new Event('change'));""")
        tab.wait("document.getElementById('command').innerText === 'quantgate check planted.onnx --sdk 2.25 --soc SM8350'")
        self.assertGreater(tab.run("return document.querySelectorAll('#socs option').length;"), 30)
        tab.run("""const soc = document.getElementById('soc'); soc.value = 'SM9999999'; soc.dispatchEvent(new Event('change'));""")
        tab.wait("document.getElementById('status').className === 'unusable'")
        self.assertIn("SM9999999", tab.run("return document.getElementById('status').innerText;"))

    def test_encodings_beside_a_model(self) -> None:
        """Of AIMET, all versions, in either order; the verdict is the command line's."""
        model, found = AIMET / "llama_block.json", sorted(AIMET.glob("*.encodings"))
        self.assertEqual(len(found), 3)
        tab = self.tab()
        tab.ready()
        for encodings in found:
            for paths in ((model, encodings), (encodings, model)):
                tab.choose(*paths)
                tab.wait(f"document.getElementById('command').innerText.includes('--encodings {encodings.name}')")
                self.assertIn("quantgate check llama_block.json", tab.run("return document.getElementById('command').innerText;"))
                tab.wait("document.getElementById('status').innerText.startsWith('llama_block.json')")
            expected = command_line("check", model.name, "--encodings", encodings.name, "--format", "json", cwd=AIMET)
            tab.mount(model, encodings)
            done = tab.program("check", model.name, "--encodings", encodings.name, "--format", "json", "-o", "r", result="r")
            self.assertEqual((done["status"], done["text"]), (expected.returncode, expected.stdout), done["err"])

    def test_overrides_in_a_file_named_json(self) -> None:
        """As QAIRT's converters take them: beside Model JSON only their content tells which of the two is the model."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            model, overrides = folder / "model.json", folder / "a_overrides.json"
            model.write_text((AIMET / "llama_block.json").read_text())
            for encodings in sorted(AIMET.glob("*.encodings")):
                overrides.write_text(encodings.read_text())
                tab = self.tab()
                tab.ready()
                tab.choose(overrides, model)
                tab.wait("document.querySelector('main iframe')")
                self.assertEqual(tab.run("return document.getElementById('command').innerText;"), "quantgate check model.json --encodings a_overrides.json")
            tab.run("document.querySelector('input[value=chips]').click();")
            tab.wait("document.querySelector('main table')")
            self.assertIn("a_overrides.json is left out", tab.run("return document.querySelector('main').innerText;"))
            self.assertEqual(tab.run("return document.getElementById('command').innerText;"), "quantgate check model.json --all-socs")
            tab.choose(overrides)
            tab.wait("document.getElementById('status').className === 'unusable'")

    def test_a_plan_is_made_of_a_float_model(self) -> None:
        tab = self.tab()
        tab.ready()
        shown = "return [...document.querySelectorAll('.wish')].map(each => getComputedStyle(each).display !== 'none');"
        self.assertEqual(tab.run(shown), [False, False])
        tab.choose(AIMET / "llama_block.json")
        tab.wait("document.querySelector('main iframe')")
        tab.run("document.querySelector('input[value=plan]').click();")
        tab.wait("""document.querySelector('main iframe[title="Plan of llama_block.json"]')""")
        self.assertEqual(tab.run(shown), [True, True])
        self.assertEqual(tab.run("return document.getElementById('command').innerText;"), "quantgate plan llama_block.json --precision 16a8w")
        self.assertRegex(tab.run("return document.getElementById('status').innerText;"), r"^llama_block.json: a plan for \d+ nodes, \d+ as wished.* \d+ Converts; made in")
        self.assertEqual(tab.run("return [...document.querySelectorAll('main .files a')].map(each => each.download);"),
                         ["llama_block.plan.html", "llama_block.plan.json"])
        for choice, value, words in (("precision", "8a8w", "--precision 8a8w"), ("weights", "per-tensor", "--precision 8a8w --weights per-tensor")):
            tab.run(f"const e = document.getElementById('{choice}'); e.value = '{value}'; e.dispatchEvent(new Event('change'));")
            tab.wait(f"document.getElementById('command').innerText === 'quantgate plan llama_block.json {words}'")

    def test_plans_are_the_command_lines(self) -> None:
        """Every precision and form of weights that the page offers; and it offers all precisions there are."""
        tab = self.tab()
        tab.ready()
        offered = tab.run("return ['precision', 'weights'].map(id => [...document.getElementById(id).options].map(each => each.value));")
        named = command_line("plan", AIMET / "llama_block.json").stderr.partition("--precision is missing: ")[2].strip().split(", ")
        self.assertEqual(offered[0], named)
        tab.mount(AIMET / "llama_block.json")
        for precision in offered[0]:
            for weights in offered[1] if precision == "16a8w" else ("",):
                words = ["plan", "llama_block.json", "--precision", precision, *(["--weights", weights] if weights else [])]
                for form in ("json", "html"):
                    with self.subTest(f"{words} {form}"):
                        expected = command_line(*words, "--format", form, cwd=AIMET)
                        done = tab.program(*words, "--format", form, "-o", "r", result="r")
                        self.assertEqual((done["status"], done["text"]), (expected.returncode, expected.stdout), done["err"])

    def test_a_quantized_model_needs_no_plan(self) -> None:
        tab = self.tab()
        tab.ready()
        tab.run("document.querySelector('input[value=plan]').click();")
        tab.run("document.getElementById('example').click();")
        tab.wait("document.getElementById('status').className === 'unusable'")
        self.assertIn("quantized", tab.run("return document.getElementById('status').innerText;"))

    def test_a_fixed_model_is_offered(self) -> None:
        tab = self.tab()
        tab.ready()
        tab.run("document.getElementById('soc').value = 'SM8550';")
        tab.choose(EXAMPLES / "planted.onnx")
        tab.wait("document.querySelector('main iframe')")
        tab.run("document.querySelector('input[value=fix]').click();")
        tab.wait("document.querySelector('main a[download$=\\'.fixed.onnx\\']')")
        self.assertIn("fixed", tab.run("return document.querySelector('main pre').innerText;"))

    def test_hostile_names_are_text(self) -> None:
        hostile = ROOT / "tests" / "fixtures" / "formats" / "hostile.json"
        tab = self.tab()
        tab.ready()
        tab.choose(hostile)
        tab.wait("document.querySelector('main iframe')")
        for view in ("run", "fix", "chips", "plan"):
            tab.run(f"document.querySelector('input[value={view}]').click();")
            tab.wait("!document.getElementById('status').innerText.startsWith('Reading')")
            self.assertEqual(tab.run("return document.querySelectorAll('main img, main script').length;"), 0)

    def test_the_report_in_the_frame_is_alive(self) -> None:
        """Its script is one that the policy of the page names."""
        tab = self.tab()
        tab.ready()
        tab.run("document.getElementById('example').click();")
        tab.wait("document.querySelector('main iframe')")
        rows, count = "document.querySelectorAll('.row').length", "document.getElementById('count')?.innerText"
        found = tab.wait_in_frame(f"{rows} && {count} && {rows} + '/' + {count}") or ""
        self.assertRegex(found, r"^[1-9]\d*/\d+ findings$")


if __name__ == "__main__":
    unittest.main()

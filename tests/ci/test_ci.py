"""What docs/guide/ci.md tells a new user to write, done in repositories made for it.

The steps of the documented GitHub workflow run as a runner would run them: `uses` of the checkout
clones, `uses` of the action runs the steps of action.yml with its inputs, out of a clean clone of
this project that builds itself. The upload to GitHub is left out; what it would upload is read.
The pre-commit configuration runs under the real pre-commit. Long: `tools/dev/qgdev test ci`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(os.environ.get("QUANTGATE_CLI", ROOT / "build" / "bin" / "quantgate")).resolve()
MODEL = ROOT / "docs" / "examples" / "planted.onnx"
# A finding that is planted in it, and the node it is planted in.
CODE, NODE = "QG301", "conv_weight_asymmetric_in_2_of_16_channels"
OWN = "OWNER/quantgate"


def blocks() -> dict[str, Any]:
    """The YAML files of docs/guide/ci.md by the name in their first line."""
    found = {}
    for text in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/guide/ci.md").read_text(), re.DOTALL):
        found[text.splitlines()[0].removeprefix("# ")] = yaml.safe_load(text)
    return found


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True,
                          check=True).stdout


class Repository(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = Path(temporary.name)
        # The user's repository: a pull request that adds a model.
        self.repository = self.scratch / "repository"
        (self.repository / "models").mkdir(parents=True)
        git(self.scratch, "init", "--quiet", "-b", "main", str(self.repository))
        (self.repository / "README").write_text("A model.\n")
        git(self.repository, "add", "README")
        git(self.repository, "commit", "--quiet", "-m", "Begin")
        git(self.repository, "checkout", "--quiet", "-b", "new-model")
        shutil.copy(MODEL, self.repository / "models" / "planted.onnx")

    def clone_of_quantgate(self) -> Path:
        clone = self.scratch / "quantgate"
        git(self.scratch, "clone", "--quiet", str(ROOT), str(clone))
        return clone


class Workflow(Repository):
    def run_action(self, action: Path, given: dict[str, Any], workspace: Path) -> dict[str, Any]:
        definition = yaml.safe_load((action / "action.yml").read_text())
        self.assertLessEqual(set(given), set(definition["inputs"]))
        inputs = {k: str(given.get(k, v.get("default", ""))) for k, v in definition["inputs"].items()}
        output, summary = self.scratch / "output", self.scratch / "summary"
        log, status = "", 0
        for step in definition["runs"]["steps"]:
            env = {k: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: inputs[m[1]], v)
                   for k, v in step["env"].items()}
            run = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=workspace, capture_output=True, text=True, timeout=3600,
                env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **env,
                     "GITHUB_ACTION_PATH": str(action), "GITHUB_OUTPUT": str(output),
                     "GITHUB_STEP_SUMMARY": str(summary)})
            log += run.stdout + run.stderr
            status = status or run.returncode
        return {"log": log, "status": status, "summary": summary.read_text(),
                "output": output.read_text()}

    def test_a_pull_request_fails_with_an_annotation_on_the_node(self) -> None:
        """With the program the action is reported to take."""
        self.pull_request(quantgate=str(CLI))

    def test_the_action_builds_its_own_program(self) -> None:
        self.pull_request()

    def pull_request(self, **more: str) -> None:
        workflow = blocks()[".github/workflows/quantgate.yml"]
        (job,) = workflow["jobs"].values()
        git(self.repository, "add", "models")
        git(self.repository, "commit", "--quiet", "-m", "Add a model")
        workspace = self.scratch / "workspace"
        result, uploaded = None, None
        for step in job["steps"]:
            name, _, _ = step["uses"].partition("@")
            if name == "actions/checkout":
                git(self.scratch, "clone", "--quiet", "--branch", "new-model",
                    str(self.repository), str(workspace))
            elif name == OWN:
                result = self.run_action(self.clone_of_quantgate(), {**step["with"], **more},
                                         workspace)
            else:
                self.assertEqual((name, step["if"]),
                                 ("github/codeql-action/upload-sarif", "always()"))
                uploaded = json.loads((workspace / step["with"]["sarif_file"]).read_text())
        self.assertEqual((result["status"], result["output"]), (1, "exit-status=1\n"), result["log"])
        annotations = [line for line in result["log"].splitlines() if line.startswith("::error ")]
        print("\n".join(annotations), file=sys.stderr)
        (planted,) = [line for line in annotations if CODE in line]
        self.assertTrue(planted.startswith("::error file=models/planted.onnx,line=1,"), planted)
        self.assertIn(NODE, planted)
        self.assertIn(CODE, result["summary"])
        (found,) = [r for r in uploaded["runs"][0]["results"] if r["ruleId"] == CODE]
        location = found["locations"][0]
        self.assertEqual(location["physicalLocation"]["artifactLocation"]["uri"],
                         "models/planted.onnx")
        self.assertTrue(any(NODE in place["fullyQualifiedName"]
                            for place in location["logicalLocations"]), location)


class PreCommit(Repository):
    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("pre-commit")
        return subprocess.run(
            [str(program), *arguments], cwd=self.repository, capture_output=True, text=True,
            timeout=300, env={**os.environ, "PATH": f"{CLI.parent}:{os.environ['PATH']}",
                              "PRE_COMMIT_HOME": str(self.scratch / "home"),
                              "GIT_CONFIG_COUNT": "1",
                              "GIT_CONFIG_KEY_0": "protocol.file.allow",
                              "GIT_CONFIG_VALUE_0": "always"})

    def configure(self) -> None:
        config = blocks()[".pre-commit-config.yaml"]
        (repository,) = config["repos"]
        self.assertIn(OWN, repository["repo"])
        clone = self.clone_of_quantgate()
        repository.update(repo=str(clone), rev=git(clone, "rev-parse", "HEAD").strip())
        (self.repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))

    def test_the_hook_stops_a_commit_of_a_bad_model(self) -> None:
        self.configure()
        self.assertEqual(self.pre_commit("install").returncode, 0)
        git(self.repository, "add", "models", ".pre-commit-config.yaml")
        run = self.pre_commit("run")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Failed", run.stdout)
        self.assertIn(CODE, run.stdout)
        self.assertIn(NODE, run.stdout)

    def test_the_hook_lets_a_good_model_and_other_files_pass(self) -> None:
        self.configure()
        git(self.repository, "add", ".pre-commit-config.yaml")
        run = self.pre_commit("run")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Skipped", run.stdout)
        shutil.copy(ROOT / "docs" / "examples" / "resnet18_16a8w.onnx",
                    self.repository / "models" / "planted.onnx")
        git(self.repository, "add", "models")
        run = self.pre_commit("run")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Passed", run.stdout)

    def test_try_repo(self) -> None:
        run = self.pre_commit("try-repo", str(self.clone_of_quantgate()), "quantgate", "--files",
                              "models/planted.onnx")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(CODE, run.stdout)


if __name__ == "__main__":
    unittest.main()

"""The database as the command line tool prints it."""
import json
import os
import pathlib
import subprocess

from tools.dev.shared import opdefs_json

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Database:
    def __init__(self, cli: str) -> None:
        self._cli = cli
        self.targets = self._ask("targets")
        self.backends = [b["name"] for b in self.targets["backends"]]
        self.ops = {b: self._ask("query", "--backend", b, "--every-sdk")["ops"]
                    for b in self.backends}
        self.rules = {r["code"]: r for r in self._ask("explain", "--all")["rules"]}
        # By arch where a backend has some, at its newest SDK; else by SDK.
        self.matrices = {b["name"]: self._ask("matrix", "--backend", b["name"], "--by",
                                              "arch" if b["archs"] else "sdk")
                         for b in self.targets["backends"]}
        self.sources = opdefs_json.load()["sources"]

    def backend(self, name: str) -> dict:
        return next(b for b in self.targets["backends"] if b["name"] == name)

    def explained(self, code: str) -> str:
        """A rule as `explain` prints it."""
        return self._print("explain", code)

    def help(self, *verb: str) -> str:
        return self._print(*verb, "--help")

    def _print(self, *arguments: str) -> str:
        return subprocess.run([self._cli, *arguments], check=True, stdout=subprocess.PIPE,
                              text=True, encoding="utf-8", env={**os.environ, "NO_COLOR": "1"}).stdout

    def _ask(self, *arguments: str) -> dict:
        done = subprocess.run([self._cli, *arguments, "--format", "json"], check=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)

"""Reads the folder of facts; nothing here knows the YAML schema."""
import json
import pathlib

import yaml

# Datatypes every template of the measured rows was tried with.
PROBED = (
    "FLOAT_16", "FLOAT_32", "UFIXED_POINT_16", "SFIXED_POINT_16", "UFIXED_POINT_8",
    "SFIXED_POINT_8", "SFIXED_POINT_32", "UFIXED_POINT_32", "INT_8", "INT_16", "INT_32",
    "INT_64", "UINT_8", "UINT_16", "UINT_32", "BOOL_8", "SFIXED_POINT_4", "UFIXED_POINT_4")


class Facts:
    """The documented pages of all SDK versions, and what was measured of HTP on later ones."""

    def __init__(self, folder):
        root = pathlib.Path(folder)

        def load(name):
            with open(root / name, encoding="utf-8") as file:
                return json.load(file)

        self._root = root
        self._load = load
        self._loaded = {}
        self.documented = self.page("htp", "2.25")["ops"]
        self.master = self.master_of("2.25")
        self.templates = load("measured/templates.json")
        self.measured = load("measured/consequences.json")
        self.types = load("types.json")
        self.chips = load("chips.json")
        self.revisions = load("revisions.json")
        # (sdk, arch) -> template key -> set of tuples of full datatype names.
        self.rows = {}
        for path in sorted((root / "measured").glob("rows-*.json")):
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            names = data["dtypes"]
            sdk = ".".join(data["sdk"].split(".")[:2])
            self.rows[sdk, data["arch"]] = {
                key: [tuple(names[short] for short in row) for row in rows]
                for key, rows in data["ops"].items()}
        # Measured after the folder of facts, kept beside this file.
        with open(pathlib.Path(__file__).parent / "executed.yaml", encoding="utf-8") as file:
            executed = yaml.safe_load(file)
        self.executed_rows = {
            (row["key"], tuple(row["dtypes"])): row["right"] for row in executed["rows"]}
        self.per_channel = executed["per_channel"]
        self.begins = executed["begins"]
        self.right = {
            entry["op"]: {dtype: set(where) for dtypes, where in entry["right"] for dtype in dtypes}
            for entry in self.measured["baseline_right"]}

    def page(self, backend, sdk):
        """The page of a backend, None where the SDK's documentation has none."""
        name = f"qnn-{sdk}/{backend}.json"
        if name not in self._loaded:
            there = (self._root / name).exists()
            self._loaded[name] = self._load(name) if there else None
        return self._loaded[name]

    def master_of(self, sdk):
        return self.page("master", sdk)["ops"]

    def op_names(self):
        return sorted(set(self.documented) | set(self.templates))

    def keys_of(self, op):
        """Template keys of an op that were probed: `Op` and `Op/variant`."""
        return sorted({key for rows in self.rows.values() for key in rows
                       if key.split("/")[0] == op})

    def template(self, key):
        op, _, tag = key.partition("/")
        for template in self.templates[op]:
            if template.get("tag", "") == tag:
                return template
        raise KeyError(key)

    def accepted(self, key, dtypes):
        """The (sdk, arch) whose op validation accepts this row of a template."""
        return {where for where, rows in self.rows.items() if tuple(dtypes) in rows.get(key, ())}

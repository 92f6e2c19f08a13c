"""sources.yaml and targets.yaml."""

SOURCES = [
    {"id": "docs-2.13", "title": "QNN SDK 2.13.0 documentation, Backend Op Definition Supplements and Master Op Definition", "sdk": "2.13", "measured": False},
    {"id": "docs-2.25", "title": "QNN SDK 2.25.0 documentation, Backend Op Definition Supplements and Master Op Definition", "sdk": "2.25", "measured": False},
    {"id": "measured-2.47", "title": "libQnnHtp 2.47.0 and libQnnCpu 2.47.0, x86-64 libraries and emulator: op validation, graph preparation, execution", "sdk": "2.47", "measured": True},
    {"id": "measured-2.49", "title": "libQnnHtp 2.49.40, x86-64 library: op validation", "sdk": "2.49", "measured": True},
    {"id": "measured-2.50", "title": "libQnnHtp 2.50.40, x86-64 library and emulator: op validation, execution of the datatypes it adds", "sdk": "2.50", "measured": True},
    {"id": "measured-2.51", "title": "libQnnHtp 2.51.0, x86-64 library and emulator: op validation, graph preparation, execution", "sdk": "2.51", "measured": True},
    {"id": "soc-docs-2.25", "title": "QNN SDK 2.25.0 documentation, Overview, supported devices", "sdk": "2.25", "measured": False},
    {"id": "soc-header-2.25", "title": "QNN SDK 2.25.0 QnnTypes.h, SoC models", "sdk": "2.25", "measured": False},
    {"id": "soc-executorch", "title": "pytorch/executorch commit cff6f4dd, backends/qualcomm/serialization/qc_schema.py", "sdk": "2.25", "measured": False},
    {"id": "soc-measured-2.47", "title": "libQnnHtp 2.47.0: device creation by SoC id", "sdk": "2.47", "measured": True},
    {"id": "soc-measured-2.49", "title": "libQnnHtp 2.49.40: device creation by SoC id", "sdk": "2.49", "measured": True},
    {"id": "soc-measured-2.51", "title": "libQnnHtp 2.51.0: device creation by SoC id", "sdk": "2.51", "measured": True},
]
_SOC_SOURCES = {
    "qnn-2.25-docs": "soc-docs-2.25", "qnn-2.25-header": "soc-header-2.25",
    "executorch": "soc-executorch", "libQnnHtp-2.47.0": "soc-measured-2.47",
    "libQnnHtp-2.49.40": "soc-measured-2.49", "libQnnHtp-2.51.0": "soc-measured-2.51"}
HTP = {
    "archs": ["v68", "v69", "v73", "v75", "v79", "v81", "v85", "v89"], "default_arch": "v73",
    "tuple_rows": "2.25", "sdks": ["2.25", "2.47", "2.49", "2.50", "2.51"], "first_measured": "2.47"}


def sources(facts):
    """SOURCES and one for every version the revision history speaks of."""
    found = {".".join(r["sdk"].split(".")[:2]) for r in facts.revisions["revisions"]}
    return SOURCES[:2] + [
        {"id": f"revision-{sdk}", "title": f"Op Support Revision History, entries of SDK {sdk}",
         "sdk": sdk, "measured": False}
        for sdk in sorted(found, key=lambda s: [int(n) for n in s.split(".")])
        if sdk not in ("2.11", "2.12", "2.13", "2.25")] + SOURCES[2:]


def targets(facts, documented, revised):
    """`documented`: backends known from the documents alone, by name; `revised`: versions below
    2.25 that the revision history of HTP speaks of."""
    socs = []
    taken = set()
    # A name that two ids share goes to the one that a source of its own gives first.
    for chip in sorted(facts.chips["chips"], key=lambda c: c["soc_id"]):
        models = [m for m in chip["models"] if m not in taken] or [f"SOC_{chip['soc_id']}"]
        taken |= set(models)
        soc = {"id": chip["soc_id"], "name": models[0]}
        if models[1:]:
            soc["aliases"] = models[1:]
        soc["arch"] = chip["arch"]
        if "vtcm_mb" in chip:
            soc["vtcm_mb"] = chip["vtcm_mb"]
        used = {_SOC_SOURCES[f["source"]] for f in chip["facts"] if f.get("accepted", True)}
        soc["sources"] = [s["id"] for s in SOURCES if s["id"] in used]
        socs.append(soc)
    htp = dict(HTP, sdks=["2.13", *revised, *HTP["sdks"]])
    return [("backends", {"htp": htp, **documented}), ("socs", socs)]

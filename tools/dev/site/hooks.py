"""What mkdocs does beside its configuration."""
import os
import pathlib
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the generated pages into the navigation, behind the index of their folder, and pages
    that the navigation doesn't name at its end."""
    docs = pathlib.Path(config.docs_dir)
    config.nav = [_with_folder(entry, docs) for entry in config.nav]
    named = set(_pages(config.nav))
    more = sorted(path.name for path in docs.glob("*.md") if path.name not in named)
    config.nav[-1][next(iter(config.nav[-1]))].extend({_title(docs / name): name} for name in more)
    return config


def _pages(entry: list | dict | str) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    inner = entry if isinstance(entry, list) else entry.values()
    return [page for each in inner for page in _pages(each)]


def _with_folder(entry: dict | str, docs: pathlib.Path) -> dict | str:
    if isinstance(entry, str):
        return entry
    (title, inner), = entry.items()
    if isinstance(inner, list):
        return {title: [_with_folder(each, docs) for each in inner]}
    index = re.fullmatch(r"(reference/\w+)/index\.md", inner)
    if not index:
        return entry
    others = sorted((_title(path), path.name) for path in (docs / index[1]).glob("*.md")
                    if path.name != "index.md")
    return {title: [inner] + [{name: f"{index[1]}/{file}"} for name, file in others]}


def _title(path: pathlib.Path) -> str:
    """The heading of a page: "QG301 asymmetric-encoding", or of an op only its name."""
    with path.open(encoding="utf-8") as file:
        return re.sub(r" on \w+$", "", file.readline().removeprefix("# ").strip())


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Ops are found by name, constraints and ports; the long tables of datatypes stay out of the search."""
    if page.file.src_uri == "guide/browser.md" and os.environ.get("QUANTGATE_BROWSER"):
        # The page itself, which is no Markdown: behind the first paragraph.
        head, first, rest = markdown.split("\n\n", 2)
        return f'{head}\n\n{first}\n\n<a class="md-button md-button--primary" href="../browser.html">Open it here</a>\n\n{rest}'
    if page.file.src_uri.startswith("reference/htp/"):
        page.meta["search"] = {"boost": 2}  # the backend that is asked about first
    if page.file.src_uri.startswith("reference/") and page.file.src_uri.count("/") == 2:
        return markdown.replace("\n## Dtypes\n", "\n## Dtypes { data-search-exclude }\n")
    return markdown

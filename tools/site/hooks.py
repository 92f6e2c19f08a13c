"""What mkdocs does beside its configuration."""
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Ops are found by name, constraints and ports; the long tables of datatypes stay out of the search."""
    if page.file.src_uri.startswith("reference/") and page.file.src_uri.count("/") == 2:
        return markdown.replace("\n## Dtypes\n", "\n## Dtypes { data-search-exclude }\n")
    return markdown

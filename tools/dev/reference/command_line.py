"""The page of the command line: what each verb's --help says."""
import re

from .database import Database


def page(database: Database) -> str:
    top = database.help()
    text = ("# Command line\n\nExit status: 0 fine, 1 findings that fail the mode, 2 unusable input or "
            "arguments with one line on standard error. `quantgate man` prints all of this as a "
            "manual page.\n\n" + fenced(top))
    for verb in re.findall(r"^  ([a-z]+)  ", top.partition("\nVerbs:\n")[2], re.M):
        text += f"\n## {verb}\n\n" + fenced(database.help(verb))
    return text


def fenced(text: str) -> str:
    return f"```text\n{text.strip()}\n```\n"

"""The parts of the site that are made from the code, as Markdown."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Mapping

from fusewise.language.sections.keys import (
    BACKWARD,
    BACKWARD_KINDS,
    INPUT_FORMS,
    LAYOUTS,
    OUTPUT_FORMS,
    OUTPUT_OPTIONS,
    PACKED_INPUT,
    PARAM,
    PARAM_TYPES,
    REQUIRED_SECTIONS,
    SECTIONS,
    TEST,
)

# The tables of a section: the heading of the first column, and the keys or words with meanings.
KEYS = {
    "inputs": {
        "an input is": INPUT_FORMS,
        "or a mapping with the keys": PACKED_INPUT,
        "`layout` is": LAYOUTS,
    },
    "params": {"a param is": PARAM_TYPES, "or a mapping with the keys": PARAM},
    "outputs": {
        "an output is a formula, or a mapping with one of": OUTPUT_FORMS,
        "and with any of": OUTPUT_OPTIONS,
        "`layout` is": LAYOUTS,
    },
    "backward": {"key": BACKWARD, "`is` is": BACKWARD_KINDS},
    "test": {"key": TEST},
}


def commands() -> str:
    """All commands with their arguments and options, as Typer describes them."""
    command = [sys.executable, "-m", "typer", "fusewise.cli.app", "utils", "docs"]
    text = subprocess.check_output([*command, "--name", "fusewise"], text=True)
    text = re.sub("<span[^>]*>(.*?)</span>", r"`\1`", text, flags=re.DOTALL)
    # the list of commands, in which Typer cuts sentences short; the page's contents have it
    text = re.sub(r"\*\*Commands\*\*:\n\n(\* .*\n)+", "", text)
    return html.unescape(text.replace("# `fusewise`\n", "", 1))


def keys() -> str:
    """Each section of a spec with its keys and words."""
    lines = []
    for section, meaning in SECTIONS.items():
        needed = "Every spec has it." if section in REQUIRED_SECTIONS else "Optional."
        lines += [f"## `{section}`", f"{meaning[0].upper()}{meaning[1:]}. {needed}"]
        lines += [_table(title, rows) for title, rows in KEYS.get(section, {}).items()]
    return "\n\n".join(lines) + "\n"


def _table(title: str, rows: Mapping[str, str]) -> str:
    lines = [f"| {title} | |", "|---|---|", *(f"| `{key}` | {rows[key]} |" for key in rows)]
    return "\n".join(lines)


PARTS = {"commands": commands, "keys": keys}

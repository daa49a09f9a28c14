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

# The tables of a section: a sentence above the table, and the keys or words with their meanings.
KEYS = {
    "inputs": {
        "An input is one of these words:": INPUT_FORMS,
        "Or it is a packed tensor, a mapping with these keys:": PACKED_INPUT,
        "The value of `layout` is one of these:": LAYOUTS,
    },
    "params": {
        "A param is one of these words, perhaps with a default, as in `float = 0.5`:": PARAM_TYPES,
        "Or it is a mapping with these keys:": PARAM,
    },
    "outputs": {
        "An output is a formula, or a mapping with one of these keys:": OUTPUT_FORMS,
        "The mapping may also have these keys:": OUTPUT_OPTIONS,
        "The value of `layout` is one of these:": LAYOUTS,
    },
    "backward": {
        "The section has this key, and gradients:": BACKWARD,
        "The value of `is` is one of these:": BACKWARD_KINDS,
    },
    "test": {"All keys are optional:": TEST},
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
    lines = (f"| `{key}` | {meaning} |" for key, meaning in rows.items())
    return "\n".join([f"{title}\n", "| | meaning |", "|---|---|", *lines])


PARTS = {"commands": commands, "keys": keys}

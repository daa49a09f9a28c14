"""Time to generate, by the number of specs and by the size of a formula; both should grow linearly.

The specs are those of the repository, again and again under other names. The formula is a chain of
steps, so that every gradient depends on all of them. Nothing is read or written; the time is that
of one core, and of several rounds the least.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Mapping
from pathlib import Path

import measure
from fusewise.generate import render_specs, spec_files
from fusewise.language.spec import load_spec

SPECS = (125, 250, 500, 1000)
OPERATIONS = (25, 50, 100, 200)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="measurements of each number")
    parser.add_argument("--output", type=Path, help="write the numbers here too, as JSON")
    options = parser.parse_args()
    print(measure.headline("cpu"))
    found = {
        "specs": {count: _seconds(many_specs(count), options.rounds) for count in SPECS},
        "operations": {
            count: _seconds(long_formula(count), options.rounds) for count in OPERATIONS
        },
    }
    for name, seconds in found.items():
        rows = [
            (str(count), f"{time:.2f} s", f"{time / count * 1e3:.2f} ms")
            for count, time in seconds.items()
        ]
        print("\n" + measure.table((name, "time", "each"), rows))
    measure.write(options.output, "cpu", found)


def many_specs(count: int) -> dict[str, str]:
    """So many specs by path; a copy's composed ops call those of the same copy."""
    specs = [load_spec(path) for path in spec_files(measure.ROOT / "specs")]
    specs.sort(key=lambda spec: spec.compose is not None)  # last: what they call may not be missing
    names = "|".join(spec.name for spec in specs)
    texts: dict[str, str] = {}
    for index in range(count):
        copy, place = divmod(index, len(specs))
        spec = specs[place]
        text = re.sub(r"(?m)^op: (\w+)", rf"op: \1_{copy}", Path(spec.path).read_text())
        if spec.compose:
            text = re.sub(rf"(?<![\w.])({names})\(", rf"\1_{copy}(", text)
        texts[f"specs/{spec.name}_{copy}.yaml"] = text
    return texts


def long_formula(count: int) -> dict[str, str]:
    """One spec whose output takes so many operations."""
    forms = ("tanh({} + y)", "{} * sigmoid(x)", "exp(-{} * y)", "{} + where(x > y, x, sin(y))")
    lets, last, done = [], "x", 0
    while done < count:
        form = forms[len(lets) % len(forms)]
        lets.append(f"  step_{len(lets)}: {form.format(last)}")
        last = f"step_{len(lets) - 1}"
        done += 2
    lines = ["op: chain", "inputs: {x: tensor, y: tensor}", "let:", *lets]
    return {"specs/chain.yaml": "\n".join([*lines, f"outputs: {{out: {last}}}", ""])}


def _seconds(texts: Mapping[str, str], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        render_specs(texts, "fusewise_ops")
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()

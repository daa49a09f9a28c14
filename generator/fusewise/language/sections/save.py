"""The section `save`: the user's list of inputs and outputs to save for the backward."""

from __future__ import annotations

from collections.abc import Sequence

from fusewise.language.document import Node, Scalar
from fusewise.language.formula import Name
from fusewise.language.model import Input, Output, Save
from fusewise.language.sections.reader import Reader


def read_save(
    reader: Reader, node: Node, inputs: Sequence[Input], outputs: Sequence[Output]
) -> Save:
    if not any(entry.floating for entry in inputs):
        reader.report(node.location, "an op of integers has no backward", "delete 'save'")
    names: list[Name] = []
    for item in reader.items(node, "'save'"):
        text = reader.text(item, "a name under 'save'")
        if text is not None:
            name = Name(text.text, text.location)
            if name in names:
                reader.report(text.location, f"'{text.text}' is listed twice")
            else:
                _check(reader, text, inputs, outputs)
            names.append(name)
    return Save(tuple(names), node.location)


def _check(
    reader: Reader, text: Scalar, inputs: Sequence[Input], outputs: Sequence[Output]
) -> None:
    """Reports a name that is not an input or output, or that has a dtype of its own."""
    name, tensors = text.text, (*inputs, *outputs)
    known = [tensor.name for tensor in tensors]
    typed = {output.name: output.dtype for output in outputs if output.dtype is not None}
    what = reader.declared.get(name)
    if name in typed:
        message = f"'{name}' has a type of its own, {typed[name]}, and cannot stand for its formula"
        reader.report(text.location, message)
    elif what is None:
        reader.unknown("tensor", text, known, f"the inputs and outputs are {', '.join(known)}")
    elif name not in known:
        message = f"'{name}' is {what}: only inputs and outputs are kept"
        hints = [
            f"write {tensor.name}, which is kept whole"
            for tensor in tensors
            if name in tensor.names
        ]
        if what == "a step":
            hints.append("the backward works it out again; as an output it could be kept")
        reader.report(text.location, message, "".join(hints))

"""Stage spec: a YAML file becomes a checked `Spec`, or a `SpecError` with all that is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from fusewise.compose import ATEN_FUNCTIONS, check_compose, read_compose
from fusewise.document import Node, Scalar, Table, decode, read_document
from fusewise.errors import Location, SpecError, did_you_mean
from fusewise.formula import Expr, Number
from fusewise.model import (
    Backward,
    Compose,
    ComposeStep,
    Input,
    Layout,
    Output,
    Param,
    Shapes,
    Spec,
    Step,
    Test,
)
from fusewise.names import name_problem
from fusewise.reading import Reader
from fusewise.reference import parse_reference
from fusewise.scope import Kind, Scope

__all__ = [
    "Backward",
    "Compose",
    "ComposeStep",
    "Input",
    "Output",
    "Param",
    "Spec",
    "Step",
    "Test",
    "check_compose",
    "load_spec",
    "parse_spec",
]

_SECTIONS = (
    "op", "doc", "inputs", "params", "let", "outputs", "backward", "compose", "test", "bench",
)  # fmt: skip
_LAYOUTS: tuple[Layout, ...] = ("chunked", "interleaved")
_FLOAT_DTYPES = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")
_INT_DTYPES = ("uint8", "int8", "int16", "int32", "int64")
_DTYPES = ("bool", *_INT_DTYPES, *_FLOAT_DTYPES)


def load_spec(path: str | Path) -> Spec:
    """Read and check the spec in a file; its `op` is the file's name."""
    path = Path(path)
    return parse_spec(decode(path.read_bytes(), path.as_posix()), path.as_posix())


def parse_spec(text: str, path: str = "<spec>") -> Spec:
    """Read and check a spec from its text. `path` is what messages call it."""
    return _SpecReader().spec(read_document(text, path), text, path)


class _SpecReader(Reader):
    """One method a section; each reports into `problems`, and reads on."""

    def spec(self, document: Table, text: str, path: str) -> Spec:
        fields = self.fields(document, "a spec", _SECTIONS)
        nodes = {key: value for key, (_, value) in fields.items()}
        for key in ("op", "inputs", "outputs"):
            if key not in nodes:
                self.report(document.location, f"the spec has no '{key}'")
        if self.problems:
            raise SpecError(*self.problems)
        name = self._op(nodes["op"], path)
        doc = self.text(nodes["doc"], "'doc'") if "doc" in nodes else None
        inputs = self._inputs(nodes["inputs"])
        params, let, outputs, backward, compose = (), (), (), None, None
        scope = Scope(problems=self.problems)
        if "compose" in nodes:
            self._check_composed(fields, inputs)
            compose, outputs = read_compose(self, nodes["compose"], nodes["outputs"], inputs)
        else:
            params = self._params(nodes["params"]) if "params" in nodes else ()
            self._fill(scope, inputs, params)
            let, outputs = self._formulas(nodes.get("let"), nodes["outputs"], inputs, scope)
            if "backward" in nodes:
                backward = self._backward(nodes["backward"], inputs, outputs, scope)
            if not self.problems:
                self._check_unused(inputs, params, let, scope)
        test = Test()
        if "test" in nodes:
            test = self._test(nodes["test"], inputs, params, outputs, scope)
        bench = self._bench(nodes["bench"], inputs) if "bench" in nodes else ()
        if self.problems:
            raise SpecError(*self.problems)
        return Spec(
            path=path,
            name=name,
            doc=doc.text.strip() if doc else "",
            inputs=inputs,
            params=params,
            let=let,
            outputs=outputs,
            backward=backward,
            compose=compose,
            test=test,
            bench=bench,
            text=text,
            location=nodes["op"].location,
        )

    def _op(self, node: Node, path: str) -> str:
        text = self.text(node, "'op'")
        if text is None:
            return ""
        stem = Path(path).stem
        if problem := name_problem(text.text):
            self.report(text.location, *problem)
        elif text.text in ATEN_FUNCTIONS:
            message = f"'{text.text}' is taken: 'compose' calls the ATen function of that name"
            self.report(text.location, message)
        elif text.text.endswith("_backward"):
            message = f"'{text.text}' is taken: names with '_backward' are derivatives of ops"
            self.report(text.location, message)
        elif Path(path).suffix in (".yaml", ".yml") and text.text != stem:
            message = f"the op is called '{text.text}', but its file '{Path(path).name}'"
            hint = f"rename the file to {text.text}.yaml, or write op: {stem}"
            self.report(text.location, message, hint)
        return text.text

    # inputs, params

    def _inputs(self, node: Node) -> tuple[Input, ...]:
        table = self.table(node, "'inputs'")
        inputs: list[Input] = []
        for key, value in table.entries if table else ():
            self.declare(key.text, "an input", key.location)
            entry = (
                self._packed(key, value) if isinstance(value, Table) else self._plain(key, value)
            )
            if entry.default is None and any(before.default for before in inputs):
                message = f"'{entry.name}' must be given, but stands behind an optional input"
                self.report(entry.location, message, "move it up")
            inputs.append(entry)
        if table and all(entry.default is not None for entry in inputs):
            self.report(table.location, "at least one input must be a tensor that is always given")
        return tuple(inputs)

    def _plain(self, key: Scalar, value: Node) -> Input:
        """`tensor`, `int tensor`, `tensor = 0`."""
        dtype: Any = "float"
        default = None
        text = self.text(value, f"input '{key.text}'")
        form = r"(?:(float|int|bool|number)\s+)?tensor(?:\s*=\s*(.*))?"
        match = re.fullmatch(form, text.text, re.DOTALL) if text else None
        if match:
            dtype = match.group(1) or "float"
        elif text:
            hint = "tensor, int tensor, bool tensor or number tensor; tensor = 0 is optional"
            self.report(text.location, f"'{text.text}' is no kind of input", hint)
        if text and match and match.group(2) is not None:
            constant = text.part(*match.span(2))
            number = self.finite(constant, f"the default of '{key.text}'")
            default = None if number is None else Number(number, constant.location)
            if dtype != "float":
                self.report(text.location, "only a floating-point tensor can be optional")
        return Input(key.text, dtype, default, (), None, key.location)

    def _packed(self, key: Scalar, value: Table) -> Input:
        """`{split: [a, b], layout: chunked}`."""
        fields = self.fields(value, "a packed input", ("split", "layout"))
        parts = []
        if "split" not in fields:
            hint = "as in {split: [a, b], layout: chunked}"
            self.report(value.location, "a packed input names its parts in 'split'", hint)
        else:
            for item in self.items(fields["split"][1], "'split'"):
                if part := self.text(item, "a part"):
                    self.declare(part.text, f"a part of '{key.text}'", part.location)
                    parts.append(part.text)
            if len(parts) < 2 and not self.problems:
                self.report(fields["split"][1].location, "'split' names two parts or more")
        return Input(key.text, "float", None, tuple(parts), self._layout(fields), key.location)

    def _layout(self, fields: dict[str, tuple[Scalar, Node]]) -> Layout:
        if "layout" not in fields:
            return "chunked"
        layout: Any = self.word(fields["layout"][1], "layout", _LAYOUTS)
        return layout or "chunked"

    def _params(self, node: Node) -> tuple[Param, ...]:
        table = self.table(node, "'params'")
        params = []
        for key, value in table.entries if table else ():
            self.declare(key.text, "a param", key.location)
            param = (
                self._choice(key, value) if isinstance(value, Table) else self._param(key, value)
            )
            params.append(param)
        return tuple(params)

    def _param(self, key: Scalar, value: Node) -> Param:
        """`float`, `int = 2`, `bool = true`."""
        text = self.text(value, f"param '{key.text}'")
        match = re.fullmatch(r"(\w+)(?:\s*=\s*(.*))?", text.text, re.DOTALL) if text else None
        if text is None:
            return Param(key.text, "float", None, (), key.location)
        if match is None:
            hint = "float, int or bool, with a default or not: limit: float = inf"
            self.report(text.location, f"'{text.text}' is no kind of param", hint)
            return Param(key.text, "float", None, (), key.location)
        kind = self._param_type(text.part(*match.span(1)))
        default = None
        if match.group(2) is not None:
            default = self._param_value(text.part(*match.span(2)), kind, "default", key.text)
        return Param(key.text, kind, default, (), key.location)

    def _choice(self, key: Scalar, value: Table) -> Param:
        """`{type: int, default: 2, choices: [2, 3]}`: one kernel for each of a few values."""
        fields = self.fields(value, "a param", ("type", "default", "choices"))
        if "type" not in fields:
            self.report(value.location, "a param has a 'type': float, int or bool")
        kind = self._param_type(fields["type"][1]) if "type" in fields else "float"
        default, choices = None, []
        if "default" in fields:
            default = self._param_value(fields["default"][1], kind, "default", key.text)
        if "choices" in fields:
            for item in self.items(fields["choices"][1], "'choices'"):
                choice = self._param_value(item, kind, "choice", key.text)
                if choice in choices:
                    self.report(item.location, "this choice stands here twice")
                choices.append(choice)
            if default is not None and default not in choices:
                message = f"the default of '{key.text}' is none of its choices"
                self.report(fields["default"][1].location, message)
        return Param(key.text, kind, default, tuple(choices), key.location)

    def _param_type(self, node: Node) -> Any:
        return self.word(node, "type", ("float", "int", "bool")) or "float"

    def _param_value(
        self, node: Node, kind: str, role: str, name: str
    ) -> Fraction | float | bool | None:
        what = f"the {role} of '{name}'"
        if kind == "bool":
            return self.boolean(node, what)
        if kind == "float":
            return self.constant(node, what)
        value = self.finite(node, what)
        if value is not None and (value.denominator != 1 or abs(value) > 2**53):
            self.report(node.location, f"{what} is a whole number")
        return value

    # let, outputs, backward

    def _fill(self, scope: Scope, inputs: Sequence[Input], params: Sequence[Param]) -> None:
        for entry in inputs:
            for name in entry.names:
                scope.kinds[name] = entry.dtype
            if entry.parts:
                scope.hints[entry.name] = f"it is packed; use its parts {', '.join(entry.parts)}"
            else:
                scope.tensors.add(entry.name)
        for param in params:
            scope.kinds[param.name] = param.type

    def _formulas(
        self, let_node: Node | None, node: Node, inputs: Sequence[Input], scope: Scope
    ) -> tuple[tuple[Step, ...], tuple[Output, ...]]:
        lets = self.table(let_node, "'let'") if let_node else None
        table = self.table(node, "'outputs'")
        for key, _ in lets.entries if lets else ():
            self.declare(key.text, "a step", key.location)
            scope.hints[key.text] = "it is defined further down"
        for key, _ in table.entries if table else ():
            self.declare(key.text, "an output", key.location, output=True)
            scope.hints[key.text] = "it is an output; give the formula a name under 'let'"
        steps = []
        for key, value in lets.entries if lets else ():
            formula = self.formula(value, f"step '{key.text}'")
            scope.kinds[key.text] = None
            if formula is not None:
                scope.kinds[key.text] = scope.check(formula)
                steps.append(Step(key.text, formula, key.location))
        entries = table.entries if table else ()
        outputs = [self._output(key, value, inputs, scope) for key, value in entries]
        if table and not outputs:
            self.report(table.location, "an op has at least one output")
        return tuple(steps), tuple(outputs)

    def _output(self, key: Scalar, value: Node, inputs: Sequence[Input], scope: Scope) -> Output:
        """A formula, `{formula: ..., dtype: ...}` or `{pack: [...], layout: ...}`."""
        what = f"output '{key.text}'"
        if not isinstance(value, Table):
            return self._plain_output(key, value, None, inputs, scope)
        fields = self.fields(value, what, ("formula", "pack", "layout", "dtype"))
        dtype = self._dtype(fields["dtype"][1], inputs) if "dtype" in fields else None
        if "pack" in fields and "formula" not in fields:
            items = self.items(fields["pack"][1], "'pack'")
            if len(items) == 1:
                self.report(fields["pack"][1].location, "'pack' holds two formulas or more")
            formulas = [self.formula(item, f"a part of {what}") for item in items]
            parts = tuple(formula for formula in formulas if formula is not None)
            for part in parts:
                self._check_kind(part, scope.check_number(part), dtype, inputs)
            output = Output(key.text, parts, self._layout(fields), dtype, key.location)
            for name in output.names if key.text in self.declared else ():
                self.declare(name, f"a part of '{key.text}'", key.location)
            return output
        if "formula" not in fields or "pack" in fields:
            hint = "quote a formula that starts with '{'"
            self.report(value.location, f"{what} has either a 'formula' or a 'pack'", hint)
            return Output(key.text, (), None, dtype, key.location)
        if "layout" in fields:
            self.report(fields["layout"][0].location, "only a packed output has a layout")
        return self._plain_output(key, fields["formula"][1], dtype, inputs, scope)

    def _plain_output(
        self, key: Scalar, node: Node, dtype: str | None, inputs: Sequence[Input], scope: Scope
    ) -> Output:
        formula = self.formula(node, f"output '{key.text}'")
        if formula is None:
            return Output(key.text, (), None, dtype, key.location)
        kind = scope.check_condition(formula) if dtype == "bool" else scope.check(formula)
        self._check_kind(formula, kind, dtype, inputs)
        if kind == "bool" and dtype is None:
            dtype = "bool"
        return Output(key.text, (formula,), None, dtype, key.location)

    def _check_kind(
        self, formula: Expr, kind: Kind | None, dtype: str | None, inputs: Sequence[Input]
    ) -> None:
        """An output has the type of the tensors, so they must be able to hold it."""
        kinds = {entry.dtype for entry in inputs}
        if dtype is not None or "float" in kinds or kind in (None, "bool"):
            return
        if kind == "float" or (kind == "int" and kinds == {"bool"}):
            message = f"{'a float' if kind == 'float' else 'a number'} of tensors that hold none"
            hint = "declare an input as 'tensor', or write {formula: ..., dtype: float32}"
            self.report(formula.location, message, hint)

    def _dtype(self, node: Node, inputs: Sequence[Input]) -> str | None:
        text = self.text(node, "'dtype'")
        if text is None:
            return None
        like = re.fullmatch(r"like\s+(\w+)", text.text)
        names = [entry.name for entry in inputs]
        if like and like.group(1) in names:
            return f"like {like.group(1)}"
        if like:
            guess = did_you_mean(like.group(1), names)
            self.report(text.location, f"unknown input '{like.group(1)}'{guess}")
        elif text.text not in _DTYPES:
            guess = did_you_mean(text.text, _DTYPES)
            hint = f"{', '.join(_DTYPES)}, or like an input: like x"
            self.report(text.location, f"unknown dtype '{text.text}'{guess}", "" if guess else hint)
        return text.text

    def _backward(
        self, node: Node, inputs: Sequence[Input], outputs: Sequence[Output], scope: Scope
    ) -> Backward | None:
        table = self.table(node, "'backward'")
        if table is None:
            return None
        plain = {entry.name for entry in inputs if entry.dtype not in ("float", "number")}
        names = [
            f"grad_{name}" for entry in inputs if entry.name not in plain for name in entry.names
        ]
        fields = dict(self.fields(table, "'backward'", ("is", *names)))
        if not names:
            self.report(table.location, "an op of integers has no backward")
        kind: Any = None
        if "is" in fields:
            words = ("derivative", "surrogate")
            kind = self.word(fields.pop("is")[1], "backward", words)
        else:
            hint = "is: derivative is proved; is: surrogate is taken as it is"
            self.report(table.location, "'backward' does not say what it is", hint)
        if not fields and not self.problems:
            self.report(table.location, "'backward' has no gradient", f"as in {names[0]}: ...")
        known: dict[str, Kind] = {}
        for output in outputs:
            if output.dtype in ("bool", *_INT_DTYPES):
                continue
            known |= dict.fromkeys((f"grad_{name}" for name in output.names), "float")
            if output.layout is None:
                known[output.name] = "float"
        inner = scope.extended(known)
        gradients = []
        for key, value in fields.values():
            formula = self.formula(value, f"'{key.text}'")
            if formula is not None:
                inner.check_number(formula)
                gradients.append(Step(key.text, formula, key.location))
        return Backward(kind or "derivative", tuple(gradients), table.location)

    def _check_unused(
        self,
        inputs: Sequence[Input],
        params: Sequence[Param],
        let: Sequence[Step],
        scope: Scope,
    ) -> None:
        for entry in inputs:
            if scope.used.isdisjoint(entry.names):
                self._unused(entry.name, entry.location)
        for item in (*params, *let):
            if item.name not in scope.used:
                self._unused(item.name, item.location)

    def _unused(self, name: str, location: Location) -> None:
        self.report(location, f"'{name}' is never used", "delete it, or use it in a formula")

    # compose

    def _check_composed(
        self, fields: dict[str, tuple[Scalar, Node]], inputs: Sequence[Input]
    ) -> None:
        for section in ("params", "let", "backward"):
            if section in fields:
                hint = "formulas belong in an op that the steps call"
                message = f"an op with 'compose' has no '{section}'"
                self.report(fields[section][0].location, message, hint)
        for entry in inputs:
            if entry.parts or entry.default is not None:
                message = "an op with 'compose' takes plain tensors"
                self.report(entry.location, message, "declare it as 'tensor'")

    # test, bench

    def _test(
        self,
        node: Node,
        inputs: Sequence[Input],
        params: Sequence[Param],
        outputs: Sequence[Output],
        scope: Scope,
    ) -> Test:
        fields = self.fields(node, "'test'", ("domain", "reference", "exclude"))
        domain, reference, exclude = [], None, None
        if "domain" in fields:
            names = {name for entry in inputs for name in (entry.name, *entry.parts)}
            names |= {param.name for param in params if param.type != "bool"}
            table = self.table(fields["domain"][1], "'domain'")
            for key, value in table.entries if table else ():
                if key.text not in names:
                    guess = did_you_mean(key.text, names)
                    self.report(key.location, f"unknown input '{key.text}'{guess}")
                elif (bounds := self._range(value)) is not None:
                    domain.append((key.text, *bounds))
        if "reference" in fields and not self.problems:
            text = self.text(fields["reference"][1], "the reference")
            if text:
                reference = self._reference(text, inputs, params, len(outputs))
        if "exclude" in fields:
            exclude = self.formula(fields["exclude"][1], "'exclude'")
            if exclude is not None:
                scope.check_condition(exclude)
        return Test(tuple(domain), reference, exclude)

    def _range(self, node: Node) -> tuple[Fraction, Fraction] | None:
        items = self.items(node, "a domain")
        bounds = [self.finite(item, "a bound") for item in items]
        match bounds:
            case [Fraction() as low, Fraction() as high] if low < high:
                return low, high
        if None not in bounds:
            self.report(node.location, "a domain is [low, high]", "as in x: [-20, 20]")
        return None

    def _reference(
        self, text: Scalar, inputs: Sequence[Input], params: Sequence[Param], count: int
    ) -> str | None:
        names = {item.name: item.name for item in (*inputs, *params)}
        for entry in inputs:
            for k, part in enumerate(entry.parts):
                n = len(entry.parts)
                chunked = f"torch.chunk({entry.name}, {n}, -1)[{k}]"
                names[part] = (
                    f"{entry.name}[..., {k}::{n}]" if entry.layout != "chunked" else chunked
                )
        try:
            return parse_reference(text, names, count)
        except SpecError as error:
            self.problems += error.problems
            return None

    def _bench(self, node: Node, inputs: Sequence[Input]) -> tuple[Shapes, ...]:
        return tuple(self._shapes(item, inputs) for item in self.items(node, "'bench'"))

    def _shapes(self, node: Node, inputs: Sequence[Input]) -> Shapes:
        """The shape of each tensor in one timing; optional ones may be left out."""
        names = [entry.name for entry in inputs]
        fields = self.fields(node, "a case of 'bench'", names)
        shapes = []
        for entry in inputs:
            if entry.name in fields:
                items = self.items(fields[entry.name][1], f"the shape of '{entry.name}'")
                sizes = [self.whole(item, "a size") for item in items]
                shapes.append((entry.name, tuple(size for size in sizes if size is not None)))
                if entry.parts and sizes and sizes[-1] and sizes[-1] % len(entry.parts):
                    message = f"the last size is no multiple of the {len(entry.parts)} parts"
                    self.report(fields[entry.name][1].location, message)
            elif entry.default is None:
                self.report(node.location, f"the shape of '{entry.name}' is missing")
        if math.prod(size for _, shape in shapes for size in shape) > 2**60:
            self.report(node.location, "these shapes are too large")
        return tuple(shapes)

"""A YAML file becomes a checked `Spec`, or a `SpecError` with all problems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fusewise.language.document import SUFFIXES, Node, Scalar, Table, read_document, read_file
from fusewise.language.errors import Location, SpecError, did_you_mean
from fusewise.language.extents import LEAVES, extent_of, row_terms
from fusewise.language.formula import INDEX, LENGTH, Call, Expr
from fusewise.language.model import (
    DTYPES,
    FLOAT8_DTYPES,
    FLOAT_DTYPES,
    OTHER_DTYPES,
    Backward,
    Input,
    Output,
    Param,
    RowDims,
    Spec,
    Step,
    Test,
)
from fusewise.language.names import gradient_name, name_problem
from fusewise.language.scope import Kind, Scope
from fusewise.language.sections.compose import ATEN_FUNCTIONS, read_compose
from fusewise.language.sections.inputs import read_inputs, read_params
from fusewise.language.sections.keys import (
    BACKWARD_KINDS,
    NOT_COMPOSED,
    OUTPUT_FORMS,
    OUTPUT_OPTIONS,
    REQUIRED_SECTIONS,
    SECTIONS,
)
from fusewise.language.sections.module import read_module
from fusewise.language.sections.reader import Reader
from fusewise.language.sections.reduce import check_reduce, read_reduce
from fusewise.language.sections.samples import read_shapes, read_test
from fusewise.language.sections.save import read_save

_MEANINGS = {
    INDEX: "it is the position of an element in its row",
    LENGTH: "it is the number of elements of a row",
}


def load_spec(path: str | Path) -> Spec:
    """The checked spec in a file. The name of the file is that of the op.

    Raises:
        SpecError: the spec has errors, or cannot be read.
    """
    file, path = Path(path), Path(path).as_posix()
    return parse_spec(read_file(file, path), path)


def parse_spec(text: str, path: str = "<spec>") -> Spec:
    """The checked spec in a text. Messages show `path` as its file.

    Raises:
        SpecError: the spec has errors.
    """
    return read_spec(read_document(text, path), path)


def read_spec(document: Table, path: str) -> Spec:
    """The checked spec in a tree. Messages show `path` as its file.

    Raises:
        SpecError: the spec has errors.
    """
    return _SpecReader().spec(document, path)


class _SpecReader(Reader):
    """Reads a spec, one method for each section. A method reports all problems of its section."""

    def spec(self, document: Table, path: str) -> Spec:
        fields = self.fields(document, "a spec", SECTIONS)
        nodes = {key: value for key, (_, value) in fields.items()}
        for key in REQUIRED_SECTIONS:
            if key not in nodes:
                self.report(document.location, f"the spec has no '{key}'")
        if self.problems:
            raise SpecError(*self.problems)
        name = self._op(nodes["op"], path)
        doc = self.text(nodes["doc"], "'doc'") if "doc" in nodes else None
        inputs = read_inputs(self, nodes["inputs"])
        params, let, outputs, backward, save, compose = (), (), (), None, None, None
        rows, module, test, shapes = RowDims(), None, Test(), ()
        scope = Scope(problems=self.problems)
        if "compose" in nodes:
            self._check_composed(fields, inputs)
            compose, outputs = read_compose(self, nodes["compose"], nodes["outputs"], inputs)
        else:
            params = read_params(self, nodes["params"]) if "params" in nodes else ()
            self._fill(scope, inputs, params)
            rows = read_reduce(self, nodes.get("reduce"), scope)
            let, outputs = self._formulas(nodes.get("let"), nodes["outputs"], inputs, scope)
            reduces = self._check_rows(inputs, let, outputs, scope)
            check_reduce(self, fields, rows, (*inputs, *params, *outputs), reduces=reduces)
            if "backward" in nodes and reduces:
                hint = "delete it: the gradients are derived"
                location = fields["backward"][0].location
                self.report(location, "an op with rows has no 'backward' yet", hint)
            elif "backward" in nodes:
                backward = self._backward(nodes["backward"], inputs, outputs, scope)
            if "save" in nodes:
                save = read_save(self, nodes["save"], inputs, outputs)
            if not self.problems:
                self._check_unused(inputs, params, let, scope)
        if "module" in nodes:
            keywords = (*params, *rows.params)
            module = read_module(self, *fields["module"], name, inputs, keywords)
        if "test" in nodes:
            test = read_test(self, nodes["test"], inputs, params, outputs, scope, rows)
        if "shapes" in nodes:
            shapes = read_shapes(self, nodes["shapes"], inputs, None if compose else rows)
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
            save=save,
            compose=compose,
            module=module,
            test=test,
            shapes=shapes,
            location=nodes["op"].location,
            rows=rows,
        )

    def _op(self, node: Node, path: str) -> str:
        text = self.text(node, "'op'")
        if text is None:
            return ""
        stem = Path(path).stem
        if problem := _op_problem(text.text):
            self.report(text.location, *problem)
        elif Path(path).suffix in SUFFIXES and text.text != stem:
            message = f"the op is called '{text.text}', but its file '{Path(path).name}'"
            hint = f"rename the file to {text.text}{Path(path).suffix}"
            hint += "" if _op_problem(stem) else f", or write op: {stem}"
            self.report(text.location, message, hint)
        return text.text

    # let, outputs, backward

    def _fill(self, scope: Scope, inputs: Sequence[Input], params: Sequence[Param]) -> None:
        for entry in inputs:
            for name in entry.names:
                scope.kinds[name] = entry.dtype
                scope.extents[name] = entry.extent
            if entry.parts:
                scope.hints[entry.name] = f"it is packed; use its parts {', '.join(entry.parts)}"
            elif entry.dtype == "float" and entry.default is None:
                scope.tensors.add(entry.name)
        for param in params:
            scope.kinds[param.name] = param.type
            scope.extents[param.name] = None
            scope.values[param.name] = (param.default, *param.choices)

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
            scope.hints[key.text] = "a step cannot use itself"
            scope.kinds[key.text] = scope.check(formula) if formula is not None else None
            if formula is not None:
                scope.extents[key.text] = extent_of(formula, scope.extents)
                steps.append(Step(key.text, formula, key.location))
        entries = table.entries if table else ()
        outputs = [self._output(key, value, inputs, scope) for key, value in entries]
        if table and not outputs:
            self.report(table.location, "an op has at least one output")
        return tuple(steps), tuple(outputs)

    def _output(self, key: Scalar, value: Node, inputs: Sequence[Input], scope: Scope) -> Output:
        """An output: a formula, `{formula: ..., dtype: ..., keepdim: ...}` or `{pack: [...]}`."""
        what = f"output '{key.text}'"
        if not isinstance(value, Table):
            return self._plain_output(key, value, None, inputs, scope)
        words = [key.text for key, _ in value.entries if key.text in OUTPUT_FORMS]
        if len(words) != 1:
            hint = "quote a formula that starts with '{'"
            self.report(value.location, f"{what} has either a 'formula' or a 'pack'", hint)
            return Output(key.text, (), None, None, key.location)
        fields = self.fields(value, what, (*words, *OUTPUT_OPTIONS))
        dtype = self._dtype(fields["dtype"][1], inputs) if "dtype" in fields else None
        if "pack" in fields:
            items = self.items(fields["pack"][1], "'pack'")
            if len(items) == 1:
                self.report(fields["pack"][1].location, "'pack' holds two formulas or more")
            formulas = [self.formula(item, f"a part of {what}") for item in items]
            parts = tuple(formula for formula in formulas if formula is not None)
            if _is_condition(dtype, inputs):
                message = "a packed output holds numbers, but bool is the dtype of a condition"
                hint = "make each condition an output of its own"
                self.report(fields["dtype"][1].location, message, hint)
            for part in parts:
                self._check_kind(part, scope.check_number(part), dtype, inputs)
                if extent_of(part, scope.extents) == "row":
                    message = "a packed output has one number for each element, this is one a row"
                    self.report(part.location, message, "make it an output of its own")
            if "keepdim" in fields:
                self._refuse_keepdim(fields["keepdim"][0])
            output = Output(key.text, parts, self.layout(fields), dtype, key.location)
            for name in output.names if key.text in self.declared else ():
                self.declare(name, f"a part of '{key.text}'", key.location)
            return output
        if "layout" in fields:
            self.report(fields["layout"][0].location, "only a packed output has a layout")
        output = self._plain_output(key, fields["formula"][1], dtype, inputs, scope)
        if "keepdim" not in fields:
            return output
        if output.parts and output.extent == "element":
            self._refuse_keepdim(fields["keepdim"][0])
        return replace(output, keepdim=bool(self.boolean(fields["keepdim"][1], "'keepdim'")))

    def _refuse_keepdim(self, key: Scalar) -> None:
        message = "'keepdim' is for an output of one number a row"
        self.report(key.location, message, "this one has a number for each element")

    def _plain_output(
        self, key: Scalar, node: Node, dtype: str | None, inputs: Sequence[Input], scope: Scope
    ) -> Output:
        formula = self.formula(node, f"output '{key.text}'")
        if formula is None:
            return Output(key.text, (), None, dtype, key.location)
        is_condition = _is_condition(dtype, inputs)
        kind = scope.check_condition(formula) if is_condition else scope.check(formula)
        self._check_kind(formula, kind, dtype, inputs)
        if kind == "bool" and dtype is None:
            dtype = "bool"
        extent = extent_of(formula, scope.extents) or "element"
        return Output(key.text, (formula,), None, dtype, key.location, extent)

    def _check_kind(
        self, formula: Expr, kind: Kind | None, dtype: str | None, inputs: Sequence[Input]
    ) -> None:
        """Reports a formula whose kind does not fit the dtype of the output."""
        kinds = {entry.dtype for entry in inputs}
        if dtype in (*FLOAT_DTYPES, *FLOAT8_DTYPES) and "number" in kinds:
            message = "an output of a fixed float type cannot come from a 'number tensor'"
            self.report(formula.location, message, "declare the input as 'tensor'")
        if dtype is not None or not kinds or "float" in kinds or kind in (None, "bool"):
            return
        if kind == "float" or (kind == "int" and kinds == {"bool"}):
            message = f"this gives {kind}, but the inputs are {' and '.join(sorted(kinds))} tensors"
            hint = "declare an input as 'tensor', or write {formula: ..., dtype: float32}"
            self.report(formula.location, message, hint)

    def _check_rows(
        self,
        inputs: Sequence[Input],
        let: Sequence[Step],
        outputs: Sequence[Output],
        scope: Scope,
    ) -> bool:
        """True if the op has rows; then reports names that have another meaning there."""
        formulas = [step.formula for step in let]
        formulas += [part for output in outputs for part in output.parts]
        reduces = bool(row_terms(formulas, scope.kinds))
        reduces |= any(entry.extent == "row" for entry in inputs)
        for name in LEAVES if reduces else ():
            if name in self.declared:
                message = f"'{name}' is taken in an op with rows: {_MEANINGS[name]}"
                self.report(self.places[name], message, f"for example {name}_value")
        return reduces

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
        elif text.text not in DTYPES:
            hint = f"{', '.join(DTYPES)}, or like an input: like x"
            self.unknown("dtype", text, DTYPES, hint, OTHER_DTYPES)
        return text.text

    def _backward(
        self, node: Node, inputs: Sequence[Input], outputs: Sequence[Output], scope: Scope
    ) -> Backward | None:
        table = self.table(node, "'backward'")
        if table is None:
            return None
        differentiable = [entry for entry in inputs if entry.floating]
        names = [gradient_name(name) for entry in differentiable for name in entry.names]
        fields = dict(self.fields(table, "'backward'", ("is", *names)))
        if not names:
            self.report(table.location, "an op of integers has no backward")
        kind: Any = None
        if "is" in fields:
            kind = self.word(fields.pop("is")[1], "kind of backward", BACKWARD_KINDS)
        else:
            hint = (
                "is: derivative is compared with the derived one; is: surrogate is taken as it is"
            )
            self.report(table.location, "'backward' does not say what it is", hint)
        if not fields and not self.problems:
            self.report(table.location, "'backward' has no gradient", f"as in {names[0]}: ...")
        known: dict[str, Kind] = {}
        for output in outputs:
            if not output.is_differentiable(inputs):
                continue
            known |= dict.fromkeys(map(gradient_name, output.names), "float")
            if output.layout is None:
                known[output.name] = "float"
        inner = scope.extended(known)
        gradients = []
        for key, value in fields.values():
            formula = self.formula(value, f"'{key.text}'")
            if formula is not None:
                inner.check_number(formula)
                self._refuse_rows(formula, inner)
                gradients.append(Step(key.text, formula, key.location))
        return Backward(kind or "derivative", tuple(gradients), table.location)

    def _refuse_rows(self, gradient: Expr, scope: Scope) -> None:
        hint = "gradients of broadcast inputs are summed by the op itself"
        for term in row_terms([gradient], scope.kinds):
            word, why = (term.function, hint) if isinstance(term, Call) else (term.id, "")
            message = f"a gradient under 'backward' cannot use '{word}'"
            self.report(term.location, message, why)

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
        for section in NOT_COMPOSED:
            if section in fields:
                hint = f"'{section}' belongs in an op that the steps call"
                message = f"an op with 'compose' has no '{section}'"
                self.report(fields[section][0].location, message, hint)
        for entry in inputs:
            if entry.parts or entry.default is not None or entry.extent == "row":
                message = "an op with 'compose' takes plain tensors"
                self.report(entry.location, message, "declare it as 'tensor'")


def _op_problem(name: str) -> tuple[str, str] | None:
    """The error message and hint for an invalid name of an op; None for a valid one."""
    if name in ATEN_FUNCTIONS:
        return f"'{name}' is taken: 'compose' calls the ATen function of that name", ""
    problem = name_problem(name, op=True)
    if problem or not name.endswith("_backward"):
        return problem
    return f"'{name}' is taken: names with '_backward' are derivatives of ops", ""


def _is_condition(dtype: str | None, inputs: Sequence[Input]) -> bool:
    likes = [f"like {entry.name}" for entry in inputs if entry.dtype == "bool"]
    return dtype in ("bool", *likes)

"""The special forms: `where`, and forms that change a gradient or round to a stored type.

Autograd, evaluation and printing dispatch on these rows. `where` has a derivative rule of its own:
its gradient selects too.
"""

from __future__ import annotations

from fusewise.language.functions.row import Form, Notation, typeset

WHERE = Form(
    "where",
    ("condition", "a", "b"),
    "value and derivative are those of the branch taken; a NaN or an infinity in the other branch"
    " affects neither",
    gradient_to=(1, 2),
    ref="torch.where(condition, a, b)",
    ref_numbers=True,
    operator="a if condition else b",
    aten="where",
    selects=True,
)
STOP_GRAD = Form(
    "stop_grad",
    ("e",),
    "the value of `e`, without a gradient to `e`",
    gradient_to=(),
    ref="e.detach()",
    aten="detach",
    autograd_only=True,
    aliases=("detach",),
    notation=Notation(typeset("sg"), note="sg(e) is e with the derivative zero"),
)
STRAIGHT_THROUGH = Form(
    "straight_through",
    ("value", "carrier"),
    "the value of the first argument and the derivative of the second:"
    " `straight_through(round(x), x)`",
    gradient_to=(1,),
    ref="testing.straight_through(value, carrier)",
    aten=None,
    autograd_only=True,
    notation=Notation(typeset("ste"), note="ste(v, c) has the value of v and the derivative of c"),
)
ROUND_TO = Form(
    "round_to",
    ("e", "x"),
    "`e` rounded to the storage type of `x` and converted back to the compute type, as in an"
    " implementation that stores a tensor between two steps. `x` is a floating-point tensor that is"
    " not optional; the gradient is that of `e`",
    gradient_to=(0,),
    ref="testing.round_to(e, x)",
    aten=None,
    type_of=1,
    notation=Notation(note="fl_x(e) is e rounded to the type of x"),
)

FORMS = {form.name: form for form in (WHERE, STOP_GRAD, STRAIGHT_THROUGH, ROUND_TO)}

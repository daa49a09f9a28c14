"""The C++ of a pass: its structs, the functions that run it, and its descriptor."""

from fusewise.emit.cpp.descriptor import assigned, forward_schema
from fusewise.emit.cpp.passes import PassView, pass_view
from fusewise.emit.cpp.structs import LARGE_PASS

__all__ = ["LARGE_PASS", "PassView", "assigned", "forward_schema", "pass_view"]

"""Ops of a package are pickled by name, as functions are."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType


def test_an_op_of_a_package(package: ModuleType) -> None:
    assert pickle.loads(pickle.dumps(package.swiglu)) is package.swiglu
    assert copy.deepcopy(package.swiglu) is package.swiglu

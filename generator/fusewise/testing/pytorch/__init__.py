"""Tests of the requirements on PyTorch ops, and on the modules that call them."""

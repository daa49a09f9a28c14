"""The reductions of rows: their forms, and what kernels need to know of them."""

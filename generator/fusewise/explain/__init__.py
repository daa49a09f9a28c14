"""The page of an op: its equations in Unicode and LaTeX, its derivation, memory and kernels."""

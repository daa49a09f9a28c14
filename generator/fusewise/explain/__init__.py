"""The page of an op: its equations in Unicode, LaTeX and MathML, its derivation, memory and kernels."""

"""The page of an op: equations in Unicode, LaTeX and MathML, derivation, memory, kernels."""

"""What is kept and recomputed, the statements of a kernel, and what a pass costs."""

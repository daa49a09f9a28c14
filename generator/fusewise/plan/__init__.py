"""The memory plan, the statements of a kernel, their cost, and the choices for typical shapes."""

"""The memory plan, statements and cost of a kernel, and its specialization for typical shapes."""

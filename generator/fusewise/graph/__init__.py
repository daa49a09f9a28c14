"""A pass as a DAG of shared expressions, and its division into named steps."""

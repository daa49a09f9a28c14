"""Values of formulas in many digits and in float32, and the points where they are compared."""

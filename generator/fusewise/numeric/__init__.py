"""Values of formulas: in many digits, as float32 has them, and the points to look at."""

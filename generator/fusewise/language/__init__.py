"""What a person writes: text with places, formulas, functions and sections become a `Spec`."""

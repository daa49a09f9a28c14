"""`fusewise bench`: ops beside other implementations and a plain copy, timed in turns."""

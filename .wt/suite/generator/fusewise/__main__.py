"""`python -m fusewise` is the command `fusewise`."""

from fusewise.cli import main

main()

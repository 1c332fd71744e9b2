"""``python -m npuscope``: the same as the installed ``npuscope``."""

from npuscope.cli import main

main()

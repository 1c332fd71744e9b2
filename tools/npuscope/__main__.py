"""``python -m npuscope``: the same as the installed ``npuscope``."""

from npuscope.start import main

main()

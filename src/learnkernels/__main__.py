"""``python -m learnkernels``."""

import sys

from learnkernels.cli import main

sys.exit(main())

#!/usr/bin/env python3
"""Tests of the `multipart` tool from outside: run.py [--tool PATH] [unittest's arguments…]."""
import argparse
import pathlib
import signal
import sys
import unittest

import support

ROOT = pathlib.Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, add_help=False)
    arguments.add_argument("--tool", default=ROOT / ".build" / "debug" / "multipart")
    options, rest = arguments.parse_known_args()
    support.TOOL = str(pathlib.Path(options.tool).resolve())
    # A shell starts what it puts in the background with some signals ignored, which the tool would
    # inherit, and rightly heed.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    here = str(pathlib.Path(__file__).parent)
    tests = unittest.defaultTestLoader
    if rest:
        unittest.main(module=None, argv=[sys.argv[0], *rest])
    else:
        result = unittest.TextTestRunner().run(tests.discover(here, "test_*.py"))
        sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)

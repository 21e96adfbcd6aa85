#!/usr/bin/env python3
"""Runs a server that knows nothing of tests, and ends it when the process that started this ends.

Signals are unblocked first: a child of a worker thread inherits that thread's mask, in which almost
all of them are blocked.

usage: watch.py PROGRAM ARGUMENT...
"""
import os
import signal
import subprocess
import sys
import time

parent = os.getppid()
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
null = subprocess.DEVNULL
server = subprocess.Popen(sys.argv[1:], stdin=null, stdout=null, stderr=null)
try:
    print('started', flush=True)
    while os.getppid() == parent and server.poll() is None:
        time.sleep(0.2)
finally:
    server.terminate()
    server.wait()

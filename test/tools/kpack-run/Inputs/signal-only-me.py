"""Sends SIGTERM to kpack-run alone: its program gets it and decides how to end.

usage: signal-only-me.py KPACK-RUN
"""
import os
import signal
import subprocess
import sys

script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"
run = subprocess.Popen([sys.argv[1], "sh", "-c", script],
                       stdout=subprocess.PIPE, start_new_session=True)
assert run.stdout.readline() == b"ready\n"
os.kill(run.pid, signal.SIGTERM)
status = run.wait(timeout=600)
assert status == 9, status

# Killed for good, it takes the program with it: the pipe has no writer left.
run = subprocess.Popen([sys.argv[1], "sh", "-c", "echo ready; exec sleep 3600"],
                       stdout=subprocess.PIPE, start_new_session=True)
assert run.stdout.readline() == b"ready\n"
run.kill()
assert run.stdout.read() == b""
run.wait(timeout=600)

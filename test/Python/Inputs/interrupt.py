# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while something is compiled. ../interrupt.test runs it."""
import os
import signal
import sys
import threading
import time

import kpack_jit

# Takes minutes, or with a small number a while.
SLOW = """constexpr unsigned sum(unsigned long n) {
  unsigned sum = 0;
  for (unsigned long i = 0; i != n; ++i)
    sum = sum * 5 + 1;
  return sum;
}
unsigned get() { constexpr unsigned value = sum(%d); return value + %d; }
"""
FLAGS = ["-fconstexpr-steps=4000000000"]
FOREVER = 2000000000
# Seconds: much less than forever, and enough for a busy machine.
LATE = 200


def slow(turns, number):
    return kpack_jit.compile(SLOW % (turns, number), "get", flags=FLAGS)


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def interrupted(call, by_itself=False):
    """Whether an interrupt ends it, and soon. by_itself: call() sees to the interrupt."""
    if not by_itself:
        interrupt_after(1)
    start = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        return "ended by Ctrl-C" if time.monotonic() - start < LATE else "late"
    return "not interrupted"


# It may have been started with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# So that the compiler's process is there.
assert kpack_jit.compile("int one() { return 1; }", "one")() == 1
print("one:", interrupted(lambda: slow(FOREVER, 1)))
print("same again:", interrupted(lambda: slow(FOREVER, 1)))
print("several:", interrupted(lambda: kpack_jit.compile_all([(SLOW % (FOREVER, n), "get") for n in range(3)],
                                                            flags=FLAGS)))


def other_thread():
    thread = threading.Thread(target=lambda: slow(FOREVER, 2), daemon=True)
    thread.start()
    time.sleep(1)
    slow(FOREVER, 2)


print("of another thread:", interrupted(other_thread))

def turns_for(seconds):
    """How many turns take at least so long here."""
    turns = 1000000
    while True:
        start = time.monotonic()
        slow(turns, 5)
        if time.monotonic() - start >= seconds:
            return turns
        turns *= 2


# Who waits for the same one gets it: still waits when the interrupt comes, a second
# after it began.
TURNS = turns_for(4)
results = []
waits_on = []


def wait_too():
    interrupt_after(1)
    results.append(slow(TURNS, 3)())


waiter = threading.Thread(target=wait_too)


def with_waiter():
    threading.Timer(0.5, waiter.start).start()
    try:
        slow(TURNS, 3)
    finally:
        waits_on.append(waiter.is_alive() and not results)


print("with a waiter:", interrupted(with_waiter, by_itself=True))
print("waiter waits on:", waits_on[0])
waiter.join()
print("waiter:", len(results), "result")

# A handler of the program's own, which goes on.
handled = threading.Event()
signal.signal(signal.SIGINT, lambda *_: handled.set())
interrupt_after(1)
print("goes on:", slow(TURNS, 4)() - results[0])
print("handled:", handled.wait(60))
sys.stdout.flush()
os._exit(0)  # the other thread's compile goes on for minutes

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Processor time of one command in that of another, in percent:
#   ratio.py FIRST WORDS... --and SECOND WORDS...
# It fails if that is more than 60.
# Time of the processor, not of the clock: it holds on a busy machine.
import resource
import subprocess
import sys


def seconds(words):
    def used():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime

    before = used()
    subprocess.run(words, check=True)
    return used() - before


cut = sys.argv.index("--and")
first, second = seconds(sys.argv[1:cut]), seconds(sys.argv[cut + 1:])
print("%d %%: %.2f s, %.2f s" % (100 * first / second, first, second))
sys.exit(100 * first > 60 * second)

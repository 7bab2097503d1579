# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What readelf and eu-elflint find in a converted file that they do not find in its input,
and whether it is smaller by its device code.

  compare-elf.py INPUT OUTPUT SLACK

SLACK: how many bytes the output may be larger than the input without device code."""
import os
import sys

from matrix import device_size, news


def main():
    before, after, slack = sys.argv[1], sys.argv[2], int(sys.argv[3])
    found = news(before, after)
    most = os.path.getsize(before) - device_size(before) + slack
    if os.path.getsize(after) > most:
        found.append("%d bytes, more than %d" % (os.path.getsize(after), most))
    print("\n".join(found) or "nothing new")


if __name__ == "__main__":
    main()

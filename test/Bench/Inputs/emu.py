# In the place of tinygrad's emulator: says what it is asked to run.
import ctypes
import sys


def run_asm(code, size, x, y, z, local_x, local_y, local_z, arguments, rsrc2):
    rounds = ctypes.c_uint32.from_address(arguments + 8).value
    word = ctypes.c_uint32.from_address(code).value
    print("%d workgroups of %d, %d rounds, begins with an instruction: %s" % (
        x * y * z, local_x * local_y * local_z, rounds, word != 0 and size > 4096 and rsrc2 != 0),
        file=sys.stderr)

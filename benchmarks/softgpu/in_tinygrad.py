#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of a code object in tinygrad's emulator, for bench.py beside it.

    in_tinygrad.py CHECKOUT CODE-OBJECT KERNEL ROUNDS BLOCKS

Prints the seconds of user time that its blocks of 256 work-items took, after a
run of one round in which every instruction was compiled. The emulator belongs
to tinygrad's tests: it is in a checkout, and not in an installed package.
"""
import ctypes
import mmap
import resource
import struct
import sys


def load(path):
    """(memory with the segments of the ELF file, {symbol: address in it})"""
    with open(path, "rb") as file:
        data = file.read()
    programs, sections = struct.unpack_from("<QQ", data, 32)
    program_size, program_count, section_size, section_count = struct.unpack_from("<4H", data, 54)
    segments = [struct.unpack_from("<IIQQQQQ", data, programs + program_size * index)
                for index in range(program_count)]
    loaded = [segment for segment in segments if segment[0] == 1]
    memory = mmap.mmap(-1, max(segment[3] + segment[6] for segment in loaded) + 4096)
    for _, _, offset, address, _, size, _ in loaded:
        memory[address:address + size] = data[offset:offset + size]
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + section_size * index)
               for index in range(section_count)]
    symbols = {}
    for header in headers:
        if header[1] != 11:  # SHT_DYNSYM
            continue
        names = headers[header[6]][4]
        for at in range(header[4], header[4] + header[5], 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            begin = names + name
            symbols[data[begin:data.index(b"\0", begin)].decode()] = value
    return memory, symbols


def main():
    checkout, path, kernel, rounds, blocks = sys.argv[1:]
    sys.path.insert(0, checkout)
    from test.mockgpu.amd.emu import run_asm  # pylint: disable=import-outside-toplevel
    memory, symbols = load(path)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    descriptor = symbols[kernel + ".kd"]
    entry = descriptor + struct.unpack_from("<q", memory, descriptor + 16)[0]
    rsrc2 = struct.unpack_from("<I", memory, descriptor + 52)[0]
    output = ctypes.create_string_buffer(1 << 20)

    def run(count):
        arguments = ctypes.create_string_buffer(
            struct.pack("<QI", ctypes.addressof(output), count), 320)
        run_asm(base + entry, len(memory), int(blocks), 1, 1, 256, 1, 1,
                ctypes.addressof(arguments), rsrc2)

    run(1)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    run(int(rounds))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin)


main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In the place of the gguf package: what is written, as text, and no types of a file."""
import zlib


class LlamaFileType:
    MOSTLY_F16 = 1


class GGUFWriter:
    """A line for each value and each tensor, in the order in which they are added."""

    def __init__(self, path, architecture):
        self.path, self.lines = path, ["architecture: " + architecture]

    def __getattr__(self, name):
        if not name.startswith("add_"):
            raise AttributeError(name)
        return lambda value: self.lines.append("%s: %s" % (name[len("add_"):], value))

    def add_tensor(self, name, values):
        self.lines.append("tensor %s: %s %s %08x" % (
            name, values.dtype, "x".join(map(str, values.shape)), zlib.crc32(values.tobytes())))

    def write_header_to_file(self):
        pass

    def write_kv_data_to_file(self):
        pass

    def write_tensors_to_file(self):
        with open(self.path, "w") as file:
            file.write("\n".join(self.lines) + "\n")

    def close(self):
        pass

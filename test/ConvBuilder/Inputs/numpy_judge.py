# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges 'conv-builder run' by a convolution that is written in NumPy.

usage: numpy_judge.py CONV_BUILDER FIRST-LAST DEVICE...

Each number is the seed of a random signature, problem and tensors: 1 to 3 dimensions,
three directions, all layouts with strides, groups, operations with auxiliary operands,
FP32, FP16, BF16, I8 and U8. The devices take turns. Every element may be off by what
rounding can make of it; numbers of half of the seeds are small integers, whose sums are
exact. Nothing is known here of conv-builder but its documentation.

Prints a line for each that is wrong, and how many there were; exit 1 if any was."""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

LAYOUTS = {
    "input": {1: "GNCW GNWC NWGC NGCW G_NW_C_strided", 2: "GNCHW GNHWC NHWGC NGCHW G_NHW_C_strided",
              3: "GNCDHW GNDHWC NDHWGC NGCDHW G_NDHW_C_strided"},
    "weight": {1: "GKXC GKCX KXGC G_K_X_C_strided", 2: "GKYXC GKCYX KYXGC G_K_YX_C_strided",
               3: "GKZYXC GKCZYX KZYXGC G_K_ZYX_C_strided"},
    "output": {1: "GNKW GNWK NWGK NGKW G_NW_K_strided", 2: "GNKHW GNHWK NHWGK NGKHW G_NHW_K_strided",
               3: "GNKDHW GNDHWK NDHWGK NGKDHW G_NDHW_K_strided"}}
BIASES = {"input": ["GC", "G_C_strided"], "weight": ["GC", "G_C_strided", "G_K_strided"],
          "output": ["GC", "G_K_strided"]}
# Axes of an array here, whatever the layout is.
AXES = {"input": "GNCDHW", "weight": "GKCZYX", "output": "GNKDHW"}
RESULT = {"FORWARD": "output", "BACKWARD_DATA": "input", "BACKWARD_WEIGHT": "weight"}
# Bits behind the point of a type's significand.
BITS = {"FP32": 23, "FP16": 10, "BF16": 7}


def relu(x):
    return np.maximum(x, 0)


def leaky(x, a):
    return np.where(x < 0, a * x, x)


# name: (auxiliary operands, numbers, function of x, [d], {a, b, c}).
FLOATS = {
    "PASS_THROUGH": (0, "", lambda x, d, p: x),
    "RELU": (0, "", lambda x, d, p: relu(x)),
    "UNARY_ABS": (0, "", lambda x, d, p: np.abs(x)),
    "LEAKY_RELU": (0, "a", lambda x, d, p: leaky(x, p["a"])),
    "SCALE": (0, "a", lambda x, d, p: p["a"] * x),
    "CONV_SCALE": (0, "abc", lambda x, d, p: p["a"] * p["b"] * p["c"] * x),
    "TANH": (0, "", lambda x, d, p: np.tanh(x)),
    "SIGMOID": (0, "", lambda x, d, p: 1 / (1 + np.exp(-x))),
    "SCALE_ADD": (1, "a", lambda x, d, p: p["a"] * x + d[0]),
    "BILINEAR": (1, "ab", lambda x, d, p: p["a"] * x + p["b"] * d[0]),
    "ADD_CLAMP": (1, "ab", lambda x, d, p: np.clip(x + d[0], -np.abs(p["a"]), np.abs(p["b"]))),
    "ADD_RELU_ADD": (2, "", lambda x, d, p: relu(x + d[0]) + d[1]),
    "SCALEADD_SCALEADD_RELU": (2, "ab", lambda x, d, p: relu(p["a"] * x + p["b"] * d[0] + d[1])),
    "BIAS_BNORM_CLAMP": (5, "", lambda x, d, p: (x + d[0] - d[1]) / np.sqrt(d[2] + 1e-4) * d[3] + d[4]),
}
OPERANDS = ["PASS_THROUGH"] * 4 + ["RELU", "UNARY_ABS", "SCALE", "LEAKY_RELU", "SCALE_ADD"]
EIGHT_BITS = {
    "PASS_THROUGH": (0, "", lambda x, d, p: x),
    "ACTIVATION_MUL_CLAMP": (0, "a", lambda x, d, p: p["a"] * relu(x)),
    "ADD_ACTIVATION_MUL_CLAMP": (1, "a", lambda x, d, p: p["a"] * relu(x + d[0])),
    "ADD_ACTIVATION_MUL2_CLAMP": (2, "", lambda x, d, p: d[1] * relu(x + d[0])),
}


def rounded(kind, x):
    """Numbers as the type has them, as float64."""
    if kind == "BF16":
        bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind in ("FP32", "FP16"):
        return np.asarray(x).astype({"FP32": np.float32, "FP16": np.float16}[kind]).astype(np.float64)
    low, high = {"I8": (-128, 127), "U8": (0, 255), "I32": (-2**31, 2**31 - 1)}[kind]
    return np.clip(np.rint(x), low, high)


def to_bytes(kind, flat):
    if kind == "BF16":
        return (flat.astype(np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()
    return flat.astype({"FP32": "<f4", "FP16": "<f2", "I8": "i1", "U8": "u1", "I32": "<i4"}[kind]).tobytes()


def from_bytes(kind, data):
    if kind == "BF16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    kinds = {"FP32": "<f4", "FP16": "<f2", "I8": "i1", "U8": "u1", "I32": "<i4"}
    return np.frombuffer(data, kinds[kind]).astype(np.float64)


class Tensor:
    """A tensor of a call: where its elements are, and their numbers."""

    def __init__(self, rng, role, layout, kind, sizes):
        self.layout, self.kind = layout, kind
        letters = layout.replace("_strided", "").replace("_", "")
        axes = AXES[role]
        channel = axes[2] if role == "output" else "C"
        # A bias counts the channels that the tensor has.
        letters = letters if len(letters) > 2 else "".join(c if c in axes else channel for c in letters)
        extents = [sizes[c] for c in letters]
        self.strides = None
        if layout.endswith("strided"):
            order = rng.sample(range(len(letters)), len(letters))
            strides, step = [0] * len(letters), rng.choice([1, 1, 2])
            for i in order:
                strides[i] = step
                step = step * extents[i] + rng.choice([0, 0, 1, 3])
            self.strides = strides
        else:
            strides = [int(np.prod(extents[i + 1:])) for i in range(len(extents))]
        by_letter = dict(zip(letters, strides))
        # An axis that the layout lacks has no stride: all share its element.
        self.steps = [by_letter.get(c, 0) for c in axes]
        self.shape = [sizes[c] if c in by_letter else 1 for c in axes]
        self.span = 1 + sum((n - 1) * s for n, s in zip(extents, strides))
        self.values = None

    def view(self, flat):
        return np.lib.stride_tricks.as_strided(flat, self.shape, [s * flat.itemsize for s in self.steps])

    def write(self, path):
        flat = np.zeros(self.span)
        self.view(flat)[...] = self.values
        with open(path, "wb") as file:
            file.write(to_bytes(self.kind, flat))

    def read(self, path):
        with open(path, "rb") as file:
            flat = from_bytes(self.kind, file.read())
        assert flat.size == self.span, "%d elements, not %d" % (flat.size, self.span)
        gaps = flat.copy()
        self.view(gaps)[...] = 0
        assert not gaps.any(), "something was written between the elements"
        return self.view(flat).copy()


def taps(problem):
    """For each element of the filter: its place, and which image positions meet which output."""
    out = problem["out"]
    for z in range(problem["filter"][0]):
        for y in range(problem["filter"][1]):
            for x in range(problem["filter"][2]):
                where = []
                for at, size, step, far in zip((z, y, x), out, problem["stride"], problem["dilation"]):
                    where.append(slice(at * far, at * far + (size - 1) * step + 1, step))
                yield (z, y, x), tuple(where)


def convolve(direction, problem, x, w, y):
    """Padded images are read and written, and the padding cut off."""
    pads = [(0, 0)] * 3 + problem["pad"]
    inner = tuple(slice(b, b + n) for (b, _), n in zip(problem["pad"], problem["image"]))
    if direction == "FORWARD":
        padded, total = np.pad(x, pads), np.zeros(y)
        for (f0, f1, f2), where in taps(problem):
            part = padded[(slice(None),) * 3 + where]
            total += np.einsum("gncdhw,gkc->gnkdhw", part, w[..., f0, f1, f2])
        return total
    if direction == "BACKWARD_DATA":
        total = np.zeros([n + b + a for n, (b, a) in zip(x, pads)])
        for (f0, f1, f2), where in taps(problem):
            total[(slice(None),) * 3 + where] += np.einsum("gnkdhw,gkc->gncdhw", y, w[..., f0, f1, f2])
        return total[(slice(None),) * 3 + inner]
    padded, total = np.pad(x, pads), np.zeros(w)
    for (f0, f1, f2), where in taps(problem):
        part = padded[(slice(None),) * 3 + where]
        total[..., f0, f1, f2] = np.einsum("gnkdhw,gncdhw->gkc", y, part)
    return total


class Case:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.dims = rng.choice([1, 2, 2, 3])
        self.is_exact = rng.random() < 0.5
        is_byte = rng.random() < 0.25
        self.direction = "FORWARD" if is_byte else rng.choice(list(RESULT))
        self.result = RESULT[self.direction]
        self.choose_problem(rng)
        kinds = ["I8", "U8"] if is_byte else [rng.choice(list(BITS))]
        self.tensors, self.operations, self.auxiliary, self.settings = {}, {}, {}, []
        default_layouts = rng.random() < 0.15
        self.signature = {"spatial_dim": self.dims, "direction": self.direction}
        for role in AXES:
            layouts = LAYOUTS[role][self.dims].split()
            layout = layouts[2 if role != "weight" else 0] if default_layouts else rng.choice(layouts)
            kind = rng.choice(kinds)
            if is_byte and role == self.result:
                kind = rng.choice(["I8", "U8", "I32"])
            tensor = Tensor(rng, role, layout, kind, self.role_sizes(role))
            self.tensors[role] = tensor
            config = {"data_type": kind}
            if not default_layouts:
                config["layout"] = layout
            self.signature[role] = {"config": config, "operation": self.choose_operation(rng, role, is_byte)}
            if role != self.result:
                tensor.values = self.data(kind, tensor.shape)
        self.problem = self.problem_text(rng)

    def data(self, kind, shape):
        if self.is_exact or kind in ("I8", "U8", "I32"):
            return self.numbers.integers(0 if kind == "U8" else -2, 3, shape).astype(np.float64)
        size = self.numbers.uniform(0.125, 1, shape) * self.numbers.choice([-1, 1], shape)
        return rounded(kind, size)

    def choose_problem(self, rng):
        lead = 3 - self.dims
        spatial = lambda choose: [1] * lead + [choose() for _ in range(self.dims)]
        filters = spatial(lambda: rng.randint(1, 3))
        strides = spatial(lambda: rng.randint(1, 2))
        dilations = spatial(lambda: rng.choice([1, 1, 2]))
        pads = [(0, 0)] * lead + [(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(self.dims)]
        images = [1] * lead
        for f, d, (b, a) in list(zip(filters, dilations, pads))[lead:]:
            images.append(max(1, d * (f - 1) + 1 - b - a) + rng.randint(0, 5))
        out = [(n + b + a - d * (f - 1) - 1) // s + 1
               for n, f, s, d, (b, a) in zip(images, filters, strides, dilations, pads)]
        self.geometry = {"image": images, "filter": filters, "stride": strides, "dilation": dilations, "pad": pads,
                         "out": out}
        self.sizes = {"G": rng.randint(1, 3), "N": rng.randint(1, 3), "C": rng.randint(1, 9), "K": rng.randint(1, 9)}
        self.sizes.update(zip("ZYX", filters))
        self.image_sizes = dict(zip("DHW", images))
        self.out_sizes = dict(zip("DHW", out))

    def choose_operation(self, rng, role, is_byte):
        is_result = role == self.result
        table = FLOATS
        if is_byte:
            kind = self.tensors[role].kind
            table = EIGHT_BITS if is_result and kind != "I32" else {"PASS_THROUGH": FLOATS["PASS_THROUGH"]}
        names = [n for n in (list(table) if is_result else OPERANDS) if n in table]
        name = rng.choice(names)
        if self.is_exact and name in ("TANH", "SIGMOID", "BIAS_BNORM_CLAMP"):
            name = "RELU"
        count, letters, _ = table[name]
        numbers = {c: rng.choice([-2, 0.5, 1, 3]) for c in letters}
        if name in ("ADD_CLAMP",):
            numbers = {"a": -rng.choice([0.5, 4]), "b": rng.choice([2.0, 8])}
        for letter, number in numbers.items():
            self.settings.append("--set=%s.%s=%r" % (role, letter, number))
        operation = {"elementwise_operation": name}
        self.operations[role] = (table[name][2], numbers, name)
        self.auxiliary[role] = []
        configs = []
        for i in range(count):
            own = LAYOUTS[role][self.dims].split()
            layout = rng.choice(BIASES[role] + own)
            kind = rng.choice(["FP32", "FP16", "BF16", "I32"])
            tensor = Tensor(rng, role, layout, kind, self.role_sizes(role))
            tensor.values = self.data(kind, tensor.shape)
            if name == "BIAS_BNORM_CLAMP" and i == 2:
                tensor.values = rounded(kind, np.abs(tensor.values) + 1)
            self.auxiliary[role].append(tensor)
            configs.append({"layout": layout, "data_type": kind})
        if configs:
            operation["auxiliary_operand_configs"] = configs
        return operation

    def role_sizes(self, role):
        return {**self.sizes, **(self.out_sizes if role == "output" else self.image_sizes)}

    def problem_text(self, rng):
        g = {k: v[3 - self.dims:] for k, v in self.geometry.items()}
        sizes = self.sizes
        strided = [t for t in self.tensors.values() if t.strides] + \
                  [t for a in self.auxiliary.values() for t in a if t.strides]
        if self.dims == 2 and not strided and all(b == a for b, a in g["pad"]) and rng.random() < 0.7:
            return ("conv -n %d -c %d -k %d -g %d -H %d -W %d -y %d -x %d -u %d -v %d -l %d -j %d -p %d -q %d" % (
                sizes["N"], sizes["C"] * sizes["G"], sizes["K"] * sizes["G"], sizes["G"], *g["image"], *g["filter"],
                *g["stride"], *g["dilation"], g["pad"][0][0], g["pad"][1][0]))
        problem = {"groups": sizes["G"], "batch": sizes["N"], "c": sizes["C"], "k": sizes["K"],
                   "image": g["image"], "filter": g["filter"], "stride": g["stride"], "dilation": g["dilation"],
                   "pad": [{"before": b, "after": a} for b, a in g["pad"]]}
        for role, tensor in self.tensors.items():
            if tensor.strides:
                problem[role + "_strides"] = tensor.strides
        auxiliary = [t.strides or [] for role in AXES for t in self.auxiliary[role]]
        if any(auxiliary):
            problem["auxiliary_strides"] = auxiliary
        return json.dumps(problem)

    def operate(self, role, x):
        function, numbers, _ = self.operations[role]
        return function(x, [t.values for t in self.auxiliary[role]], numbers)

    def expected(self):
        """The result, and how far off each element may be."""
        arrays, sizes, error = {}, {}, {}
        for role, tensor in self.tensors.items():
            if role == self.result:
                arrays[role] = sizes[role] = error[role] = tensor.shape
                continue
            name = self.operations[role][2]
            value = self.operate(role, tensor.values)
            arrays[role] = rounded(tensor.kind, value)
            sizes[role] = np.abs(arrays[role])
            # An operation's result is rounded once before it is multiplied, perhaps to
            # a neighbour of what it is here.
            error[role] = np.zeros_like(value)
            if name != "PASS_THROUGH" and not self.is_exact:
                error[role] = (np.abs(value) + 4) * 2.0**-BITS.get(tensor.kind, 23) * 2
        order = ("input", "weight", "output")
        total = convolve(self.direction, self.geometry, *(arrays[r] for r in order))
        size = convolve(self.direction, self.geometry, *(sizes[r] for r in order))
        slack = np.zeros_like(total)
        operands = [r for r in order if r != self.result]
        for role in operands:
            one = dict(sizes)
            one[role] = error[role]
            slack += convolve(self.direction, self.geometry, *(one[r] for r in order))
        both = {**sizes, **{r: error[r] for r in operands}}
        slack += convolve(self.direction, self.geometry, *(both[r] for r in order))
        summands = np.prod(self.geometry["filter"]) * self.sizes["C"] * self.sizes["K"] + \
            self.sizes["N"] * np.prod(self.geometry["out"])
        if self.rounds:
            slack += (summands + 8) * 2.0**-22 * size
        slack += 2.0**-21 * sum((np.abs(t.values) for t in self.auxiliary[self.result]), np.abs(total)) \
            if self.operations[self.result][2] != "PASS_THROUGH" else 0
        value = self.operate(self.result, total)
        spread = np.maximum(np.abs(self.operate(self.result, total + slack) - value),
                            np.abs(self.operate(self.result, total - slack) - value))
        kind = self.tensors[self.result].kind
        if kind in BITS:
            spread += np.maximum(np.abs(value), 2.0**-14) * 2.0**-BITS[kind]
            if self.operations[self.result][2] != "PASS_THROUGH":
                spread += np.abs(value) * 2.0**-21
        elif self.operations[self.result][2] != "PASS_THROUGH":
            # A number in the middle of two may become either.
            spread = np.where(np.abs(value - np.floor(value) - 0.5) <= spread + 1e-6, 1.0, spread)
        return rounded(kind, value), spread

    def run(self, tool, device, folder):
        """What is wrong; empty: nothing."""
        # WMMA of gfx11 does not give 0 for 1 - 1.
        self.rounds = not self.is_exact or "gfx11" in device
        files = {}
        for role, tensor in self.tensors.items():
            files[role] = os.path.join(folder, role)
            if role != self.result:
                tensor.write(files[role])
        words = [tool, "run", "--on=" + device, json.dumps(self.signature), self.problem]
        words += ["--%s=%s" % item for item in files.items()] + self.settings
        for i, tensor in enumerate(t for role in AXES for t in self.auxiliary[role]):
            path = os.path.join(folder, "aux%d" % i)
            tensor.write(path)
            words.append("--aux=" + path)
        if device == "cpu":
            words.append(self.rng.choice(["{}", "{kind=DIRECT}", "{kind=REFERENCE}", "{kind=IMPLICIT_GEMM}"]))
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip() + "\n" + " ".join("'%s'" % w for w in words)
        made = self.tensors[self.result].read(files[self.result])
        value, spread = self.expected()
        wrong = ~(np.abs(made - value) <= spread)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return "%d of %d wrong; at %s is %r, should be %r within %r\n%s" % (
                wrong.sum(), wrong.size, at, made[at], value[at], spread[at], " ".join("'%s'" % w for w in words))
        return ""


def main():
    tool, seeds, *devices = sys.argv[1:]
    first, last = (int(n) for n in seeds.split("-"))
    failed, directions, kinds = 0, set(), set()
    for seed in range(first, last + 1):
        case = Case(seed)
        directions.add((case.direction, case.dims))
        kinds.update(t.kind for t in case.tensors.values())
        with tempfile.TemporaryDirectory() as folder:
            try:
                message = case.run(tool, devices[seed % len(devices)], folder)
            except AssertionError as error:
                message = str(error)
        if message:
            failed += 1
            print("seed %d: %s" % (seed, message))
    print("seeds %s on %s: %d wrong; %d of 9 directions and dimensions, types %s" % (
        seeds, " ".join(devices), failed, len(directions), " ".join(sorted(kinds))))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()

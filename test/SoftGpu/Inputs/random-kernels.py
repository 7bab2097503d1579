#!/usr/bin/env python3
"""Writes a file of random kernels in the form of kernel_test.h: random-kernels.py SEED KERNELS > FILE

Integers of 8 to 64 bits, f16, f32 and f64, conversions, arrays with computed indices, branches,
loops that are left early, calls. Everything has one defined result: arithmetic of signed integers
wraps, shifts are masked, divisions and conversions that C++ leaves open go through functions below,
NaNs are made equal before their bits are looked at.
"""
import random
import sys

PROLOGUE = """\
// Made by random-kernels.py %d %d
#include "kernel_test.h"
typedef _Float16 f16;
typedef float f32;
typedef double f64;

template <class T> DEVICE static inline T divide(T A, T B) {
  if (B == 0)
    return T(A + 1);
  if (T(-1) < T(0) && B == T(-1))
    return T(0u - u64(A));
  return T(A / B);
}
template <class T> DEVICE static inline T modulo(T A, T B) {
  if (B == 0 || (T(-1) < T(0) && B == T(-1)))
    return A;
  return T(A %% B);
}
template <class T, class F> DEVICE static inline T toInteger(F X) {
  constexpr bool Signed = T(-1) < T(0);
  constexpr int Bits = sizeof(T) * 8 - Signed;
  F Limit = F(u64(1) << (Bits < 15 ? Bits : sizeof(F) == 2 ? 15 : Bits - 1));
  if (sizeof(F) > 2 && Bits >= 15)
    Limit *= 2;
  if (!(X < Limit) || !(X > -Limit))
    return T(77);
  return Signed || X > F(-1) ? T(X) : T(3);
}
DEVICE static inline u32 bitsOf(f32 X) { return X != X ? 0x7fc00000 : cast<u32>(X); }
DEVICE static inline u64 bitsOf(f64 X) { return X != X ? 0x7ff8000000000000 : cast<u64>(X); }
DEVICE static inline u16 bitsOf(f16 X) { return X != X ? 0x7e00 : cast<u16>(X); }
// What clang 22 does with the sign of zero for AMD's processors is not what the CPU does: f16(A * B) is one
// instruction, which adds +0 (mended by LLVM's pull request 214544), and 0 - X is taken for -X.
DEVICE static inline f16 narrow(f32 X) { return X == 0 ? f16(0.0) : f16(X); }
template <class F> DEVICE static inline F minus(F A, F B) { return A == 0 && B == 0 ? F(0) : F(A - B); }
template <class F> DEVICE static inline F number(F X) { return X != X ? F(1) : X; }
DEVICE static inline f16 halfOf(u32 Bits) {
  return cast<f16>(u16((Bits & 0x83ff) | (8 + (Bits >> 10 & 15)) << 10));
}
"""

BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "i32", "u32", "u32", "u32", "i64", "u64"]
FLOATS = ["f16", "f32", "f32", "f32", "f64"]
SUFFIX = {"f16": "f16", "f32": "f", "f64": ""}


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def kind(self):
        return self.random.choice(INTEGERS if self.random.random() < 0.62 else FLOATS)

    def constant(self, kind):
        if kind in BITS:
            bits = BITS[kind]
            value = self.pick(0, 1, 2, 3, 10, 255, 1 << (bits - 1), (1 << bits) - 1, self.random.getrandbits(bits),
                              1 << self.random.randrange(bits))
            return "%s(%#xull)" % (kind, value)
        return "%s(%r)" % (kind, self.pick(0.5, 1.0, 2.0, -4.0, 0.1, 1e-3, 3.5, 77.0, -0.0, 1.0 / 3,
                                           self.random.uniform(-100, 100)))

    def leaf(self, kind):
        names = [n for n, k in self.scope if k == kind]
        choice = self.random.random()
        if names and choice < 0.6:
            return self.random.choice(names)
        if choice < 0.75 or not self.scope:
            return self.constant(kind)
        if choice < 0.9 or self.pure:
            name, other = self.random.choice(self.scope)
            return self.convert(name, other, kind)
        word = "In[(%d * I + %d) & 4095]" % (self.random.randrange(9), self.random.randrange(4096))
        if kind in BITS:
            return "%s(%s)" % (kind, word)
        return {"f16": "halfOf(%s)", "f32": "readFloat(%s)", "f64": "widenSingle(%s, I)"}[kind] % word

    def convert(self, text, source, to):
        if source == to:
            return text
        if source == "f32" and to == "f16":
            return "narrow(%s)" % text
        if source in BITS or to not in BITS:
            # The CPU has no direct conversion of 64 bits to f16.
            return "%s(f32(%s))" % (to, text) if to == "f16" and source in BITS else "%s(%s)" % (to, text)
        if self.random.random() < 0.3 and not self.pure:
            return "%s(bitsOf(%s))" % (to, text)
        return "toInteger<%s>(%s)" % (to, text)

    def condition(self, depth):
        kind = self.kind()
        test = "%s %s %s" % (self.expression(kind, depth - 1), self.pick("<", "<=", ">", ">=", "==", "!="),
                             self.expression(kind, depth - 1))
        choice = self.random.random()
        if choice < 0.15 and depth > 1:
            return "(%s) %s (%s)" % (test, self.pick("&&", "||"), self.condition(depth - 1))
        return "!(%s)" % test if choice < 0.25 else test

    def expression(self, kind, depth):
        if depth <= 0 or self.random.random() < 0.12:
            return self.leaf(kind)
        choice = self.random.random()
        if choice < 0.1:
            return "(%s ? %s : %s)" % (self.condition(depth - 1), self.expression(kind, depth - 1),
                                       self.expression(kind, depth - 1))
        if choice < 0.2:
            other = self.kind()
            return self.convert(self.expression(other, depth - 1), other, kind)
        if choice < 0.25 and self.arrays:
            name, of, size = self.random.choice(self.arrays)
            return self.convert("%s[%s & %d]" % (name, self.expression("u32", depth - 1), size - 1), of, kind)
        if choice < 0.28 and self.callable:
            name, result, parameters = self.random.choice(self.callable)
            call = "%s(%s)" % (name, ", ".join(self.expression(p, depth - 2) for p in parameters))
            return self.convert(call, result, kind)
        return self.integer(kind, depth) if kind in BITS else self.floating(kind, depth)

    def integer(self, kind, depth):
        bits = BITS[kind]
        wide = "u64" if bits == 64 else "u32"
        a = self.expression(kind, depth - 1)
        choice = self.random.random()
        if choice < 0.12:
            u = "u%d" % max(bits, 32)
            one = self.pick("popcount", "clz", "ctz")
            suffix = "l" if bits == 64 else ""
            return "%s(__builtin_%s%s(%s(%s) | 1))" % (kind, one, suffix, u, a)
        if choice < 0.17:
            return "%s(%s%s(%s))" % (kind, self.pick("~", "0 - "), wide, a)
        if choice < 0.2:
            # Not bswap64: clang 22 with -O0 for gfx1100 copies 16 bits of its operand's halves.
            one = self.pick("bitreverse", "bswap" if bits in (16, 32) else "bitreverse")
            return "%s(__builtin_%s%d(u%d(%s)))" % (kind, one, bits, bits, a)
        b = self.expression(kind, depth - 1)
        if choice < 0.28:
            return "%s<%s>(%s, %s)" % (self.pick("divide", "modulo"), kind, a, b)
        if choice < 0.4:
            return self.pick("%s(%s(%s) << (%s & %d))" % (kind, wide, a, b, bits - 1),
                             "%s(%s(%s) >> (%s & %d))" % (kind, kind, a, b, bits - 1),
                             "%s(__builtin_rotateleft%d(u%d(%s), u%d(%s)))" % (kind, bits, bits, a, bits, b))
        if choice < 0.46:
            return "%s(__builtin_elementwise_%s(%s(%s), %s(%s)))" % (
                kind, self.pick("min", "max", "add_sat", "sub_sat"), kind, a, kind, b)
        if choice < 0.5 and bits >= 32:
            double = "unsigned __int128" if kind == "u64" else "__int128" if kind == "i64" else kind[0] + "64"
            return "%s(((%s)%s * (%s)%s) >> %d)" % (kind, double, a, double, b, bits)
        return "%s(%s(%s) %s %s(%s))" % (kind, wide, a, self.pick("+", "-", "*", "&", "|", "^", "+", "-"), wide, b)

    def floating(self, kind, depth):
        a = self.expression(kind, depth - 1)
        choice = self.random.random()
        if choice < 0.2:
            one = self.pick("floor", "ceil", "trunc", "rint", "abs", "sqrt")
            return "%s(__builtin_elementwise_%s(%s(%s)))" % (kind, one, kind, a)
        if choice < 0.25:
            return "(-%s)" % a
        if choice < 0.29 and kind != "f16":
            return "__builtin_ldexp%s(%s, i32(%s %% 300))" % (SUFFIX[kind], a, self.expression("i32", depth - 1))
        b = self.expression(kind, depth - 1)
        if choice < 0.33:
            return "%s(__builtin_elementwise_copysign(%s(%s), number(%s(%s))))" % (kind, kind, a, kind, b)
        if choice < 0.42 and kind != "f16":
            return "__builtin_fma%s(%s, %s, %s)" % (SUFFIX[kind], a, b, self.expression(kind, depth - 1))
        operator = self.pick("+", "-", "*", "+", "-", "*", "/")
        return "minus<%s>(%s, %s)" % (kind, a, b) if operator == "-" else "%s(%s %s %s)" % (kind, a, operator, b)

    def statement(self, depth, indent):
        pad = "  " * indent
        variable, kind = self.random.choice([v for v in self.scope if v[0] not in self.fixed])
        choice = self.random.random()
        if depth <= 0 or choice < 0.5:
            return "%s%s = %s;\n" % (pad, variable, self.expression(kind, 3))
        if choice < 0.62 and self.arrays:
            name, of, size = self.random.choice(self.arrays)
            return "%s%s[%s & %d] = %s;\n" % (pad, name, self.expression("u32", 2), size - 1, self.expression(of, 3))
        if choice < 0.8:
            text = "%sif (%s) {\n%s%s}" % (pad, self.condition(2), self.block(depth - 1, indent + 1), pad)
            if self.random.random() < 0.5:
                text += " else {\n%s%s}" % (self.block(depth - 1, indent + 1), pad)
            return text + "\n"
        if choice < 0.86:
            cases = "".join("%scase %d:\n%s%s  break;\n" % (pad, n, self.block(depth - 1, indent + 1), pad)
                            for n in range(self.random.randrange(2, 7)))
            return "%sswitch (%s & 7) {\n%s%sdefault:\n%s%s}\n" % (
                pad, self.expression("u32", 2), cases, pad, self.block(depth - 1, indent + 1), pad)
        counter = "L%d" % self.counter
        self.counter += 1
        bound = self.pick("%d" % self.random.randrange(1, 7), "(%s & 7)" % self.expression("u32", 1))
        self.scope.append((counter, "u32"))
        self.fixed.add(counter)
        body = self.block(depth - 1, indent + 1)
        if self.random.random() < 0.5:
            body += "%s  if (%s)\n%s    %s;\n" % (pad, self.condition(2), pad, self.pick("break", "continue"))
            body += self.block(depth - 1, indent + 1)
        self.scope.remove((counter, "u32"))
        return "%sfor (u32 %s = 0, E%s = %s; %s < E%s; ++%s) {\n%s%s}\n" % (
            pad, counter, counter, bound, counter, counter, counter, body, pad)

    def block(self, depth, indent):
        return "".join(self.statement(depth, indent) for _ in range(self.random.randrange(1, 4)))

    def variables(self, count):
        text = ""
        for number in range(count):
            kind = self.kind()
            text += "  %s V%d = %s;\n" % (kind, number, self.expression(kind, 1))
            self.scope.append(("V%d" % number, kind))
        return text

    def hash(self):
        text = ""
        for name, kind in self.scope:
            if name != "I":
                text += "  H = (H ^ u64(%s)) * 0x9e3779b97f4a7c15;\n" % (name if kind in BITS else "bitsOf(%s)" % name)
                text += "  H ^= H >> 29;\n"
        return text

    def function(self, number):
        parameters = [self.kind() for _ in range(self.random.randrange(1, 5))]
        result = self.kind()
        self.scope = [("P%d" % n, k) for n, k in enumerate(parameters)]
        self.fixed, self.arrays, self.callable, self.pure, self.counter = set(), [], [], True, 0
        text = "%s %s F%d(%s) {\n" % (self.pick("NOINLINE static", "DEVICE static"), result, number,
                                      ", ".join("%s %s" % (k, n) for n, k in self.scope))
        text += self.variables(2) + self.block(2, 1)
        text += "  return %s;\n}\n\n" % self.expression(result, 3)
        self.functions.append(("F%d" % number, result, parameters))
        return text

    def kernel(self, number):
        self.scope = [("I", "u32")]
        self.fixed, self.arrays, self.callable, self.pure, self.counter = {"I"}, [], self.functions, False, 0
        text = "ITEM(kernel%d) {\n" % number + self.variables(self.random.randrange(4, 10))
        for index in range(self.random.randrange(3)):
            kind, size = self.kind(), self.pick(2, 4, 8, 16)
            text += "  %s A%d[%d];\n  for (u32 J = 0; J < %d; ++J)\n    A%d[J] = %s;\n" % (
                kind, index, size, size, index, self.expression(kind, 1))
            self.arrays.append(("A%d" % index, kind, size))
        for _ in range(self.random.randrange(3, 8)):
            text += self.statement(3, 1)
        text += "  u64 H = 1;\n" + self.hash()
        for name, kind, size in self.arrays:
            element = "u64(%s[J])" % name if kind in BITS else "u64(bitsOf(%s[J]))" % name
            text += "  for (u32 J = 0; J < %d; ++J)\n    H = (H ^ %s) * 0x9e3779b97f4a7c15;\n" % (size, element)
        return text + "  Out[2 * I] = u32(H);\n  Out[2 * I + 1] = u32(H >> 32);\n}\n\n"


def main():
    seed, kernels = int(sys.argv[1]), int(sys.argv[2])
    writer = Writer(seed)
    text = PROLOGUE % (seed, kernels)
    for number in range(kernels // 2):
        text += writer.function(number)
    for number in range(kernels):
        text += writer.kernel(number)
    print(text, end="")


main()

"""The words that a rocRAND generator must give, computed from the published
algorithms: rocrand-reference.py TYPE SEED COUNT

philox:   Philox4x32-10 (Salmon et al., SC 2011); words are numbered in sequence.
xorwow:   Marsaglia, Xorshift RNGs, 2003; word i is the first one of the
          subsequence that begins 2^67 * i steps after the seed's state.
mrg32k3a: L'Ecuyer 1999; likewise with subsequences of 2^76 steps, and scaled to
          all of 32 bits.
How a seed becomes a state is rocRAND's own (rocrand_xorwow.h, rocrand_mrg32k3a.h).
"""
import sys

M32 = 0xFFFFFFFF


def philox(seed, count):
    words = []
    for block in range((count + 3) // 4):
        c = [block, 0, 0, 0]
        k0, k1 = seed & M32, seed >> 32
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(b >> 32) ^ c[1] ^ k0, b & M32, (a >> 32) ^ c[3] ^ k1, a & M32]
            k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
        words += c
    return words[:count]


def xorwow_step(x):
    """One step of the shift register: five words in one integer, first lowest."""
    x0, x4 = x & M32, x >> 128
    t = x0 ^ x0 >> 2
    new = (x4 ^ x4 << 4) ^ (t ^ t << 1)
    return x >> 32 | (new & M32) << 128


def apply(columns, x):
    result = 0
    for column in columns:
        if x & 1:
            result ^= column
        x >>= 1
    return result


def xorwow(seed, count):
    s0, s1 = seed & M32 ^ 0x2C7F967F, seed >> 32 ^ 0xA03697CB
    t0, t1 = 1228688033 * s0 & M32, 2073658381 * s1 & M32
    start = [123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0]
    weyl = 6615241 + t1 + t0
    x = sum((word & M32) << 32 * i for i, word in enumerate(start))
    jump = [xorwow_step(1 << bit) for bit in range(160)]
    for _ in range(67):
        jump = [apply(jump, column) for column in jump]
    words = []
    for _ in range(count):
        words.append((xorwow_step(x) >> 128) + weyl + 362437 & M32)
        x = apply(jump, x)
    return words


def times(a, b, m):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]


def mrg32k3a(seed, count):
    assert 0 < seed < 1 << 32
    m1, m2 = 4294967087, 4294944443
    x, y = seed ^ 0x55555555, 0xAAAAAAAA
    g1 = [v * seed % m1 for v in (x, y, x)]
    g2 = [v * seed % m2 for v in (y, x, y)]
    a1 = [[0, 1, 0], [0, 0, 1], [-810728 % m1, 1403580, 0]]
    a2 = [[0, 1, 0], [0, 0, 1], [-1370589 % m2, 0, 527612]]
    j1, j2 = a1, a2
    for _ in range(76):
        j1, j2 = times(j1, j1, m1), times(j2, j2, m2)
    mul = lambda a, v, m: [sum(p * q for p, q in zip(row, v)) % m for row in a]
    words = []
    for _ in range(count):
        p1, p2 = mul(a1, g1, m1)[2], mul(a2, g2, m2)[2]
        z = p1 - p2 + (m1 if p1 <= p2 else 0)
        words.append(int((z - 1) * 1.000000048661607))
        g1, g2 = mul(j1, g1, m1), mul(j2, g2, m2)
    return words


kind, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for word in {"philox": philox, "xorwow": xorwow, "mrg32k3a": mrg32k3a}[kind](seed, count):
    print("%08x" % word)

# SPDX-License-Identifier: BSD-3-Clause
"""The random numbers of the simulator: xoshiro256++ (Blackman and Vigna).

A seed and a stream produce the same numbers as src/core/math/random.c, so that studies in Python
draw what C programs drew from the same seed."""

from __future__ import annotations

WORD = (1 << 64) - 1
HALF = (1 << 32) - 1
GOLDEN = 0x9e3779b97f4a7c15


def mix64(x: int) -> int:
    """A step of splitmix64, which is a hash of a 64-bit word."""
    x = (x + GOLDEN) & WORD
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & WORD
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & WORD
    return x ^ (x >> 31)


def _rotated(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & WORD


class Random:
    """A stream of random numbers; streams of one seed are independent."""

    def __init__(self, seed: int, stream: int = 0) -> None:
        x = mix64(seed & WORD) ^ mix64(~stream & WORD)
        self._s = [mix64((x + i * GOLDEN) & WORD) for i in range(4)]

    def next(self) -> int:
        """64 random bits."""
        a, b, c, d = self._s
        result = (_rotated((a + d) & WORD, 23) + a) & WORD
        c ^= a
        d ^= b
        self._s = [a ^ d, b ^ c, c ^ ((b << 17) & WORD), _rotated(d, 45)]
        return result

    def below(self, n: int) -> int:
        """A uniform number in [0, n), without bias (Lemire's rejection method)."""
        m = (self.next() >> 32) * n
        if m & HALF < n:
            while m & HALF < (1 << 32) % n:
                m = (self.next() >> 32) * n
        return m >> 32

    def permutation(self, n: int) -> list[int]:
        """A uniformly random order of 0..n-1."""
        order: list[int] = []
        for i in range(n):
            j = self.below(i + 1)
            order.append(i)
            order[i], order[j] = order[j], i
        return order

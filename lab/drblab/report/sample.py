# SPDX-License-Identifier: BSD-3-Clause
"""Values of equal runs with different seeds: their mean and its interval."""

import math
from collections.abc import Iterable

# Quantiles 0.975 of Student's t with 1, 2, ... degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


def student(freedom: int) -> float:
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    # Cornish-Fisher expansion: right to three digits from 16 degrees of freedom on.
    z = 1.959964
    return (z + (z * z * z + z) / (4 * freedom) +
            (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96.0 * freedom * freedom))


def chance(t: float, freedom: int) -> float:
    """The two-sided probability of a Student's t at least this far from 0.

    Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan2(t, math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for i in range(1 + odd, freedom - 2, 2):
        term *= cosine * cosine * i / (i + 1)
        total += term
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return max(0.0, 1 - within)


class Sample:
    """A sample of values, kept as count, mean and sum of squared distances from the mean."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0
        for value in values:
            self.count += 1
            distance = value - self.mean
            self.mean += distance / self.count
            self.squares += distance * (value - self.mean)

    @classmethod
    def of(cls, count: int, mean: float, deviation: float) -> "Sample":
        """A sample that is given by its count, mean and standard deviation."""
        sample = cls()
        sample.count, sample.mean = count, mean
        sample.squares = deviation * deviation * (count - 1) if count > 1 else 0.0
        return sample

    @property
    def half(self) -> float:
        """Half the width of the 95 % interval of the mean; NaN for fewer than two values."""
        if self.count < 2:
            return math.nan
        return student(self.count - 1) * math.sqrt(self.squares / (self.count - 1) / self.count)

# SPDX-License-Identifier: BSD-3-Clause
"""Figures of equal runs with different seeds: their mean, and how sure it is."""

import math

# Quantiles 0.975 of Student's t with 1, 2, ... degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


def student(freedom):
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    # Cornish-Fisher, to three digits from 16 on.
    z = 1.959964
    return (z + (z * z * z + z) / (4 * freedom) +
            (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96.0 * freedom * freedom))


def chance(t, freedom):
    """Of a figure that Student's t is as far from 0, on either side. Abramowitz and Stegun, 26.7.3 and 26.7.4."""
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
    """Adds up figures; only count, mean and squares (of distances from the mean) are kept."""

    def __init__(self, values=()):
        self.count, self.mean, self.squares = 0, 0.0, 0.0
        for value in values:
            self.count += 1
            distance = value - self.mean
            self.mean += distance / self.count
            self.squares += distance * (value - self.mean)

    @classmethod
    def of(cls, count, mean, deviation):
        """A sample of which only this is known."""
        sample = cls()
        sample.count, sample.mean = count, mean
        sample.squares = deviation * deviation * (count - 1) if count > 1 else 0.0
        return sample

    @property
    def half(self):
        """Half the width of the interval that holds the true mean in 95 of 100 cases; NaN of fewer than two."""
        if self.count < 2:
            return math.nan
        return student(self.count - 1) * math.sqrt(self.squares / (self.count - 1) / self.count)

"""Helpers of the solver against plain Python integers."""

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from npuscope.analysis.solve import single_bit

DENSE = (1 << 64) - 1


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 1 << 63, 1 << 31, DENSE, DENSE - 1, 5])] * 6), min_size=1))
def test_single_bit_is_never_beyond_the_words(columns: list[tuple[int, ...]]) -> None:
    one, which = single_bit(np.array(columns, np.uint64).T)
    for column, alone, place in zip(columns, one.tolist(), which.tolist(), strict=True):
        number = sum(word << 64 * index for index, word in enumerate(column))
        assert alone == (number.bit_count() == 1)
        assert place == number.bit_length() - 1 if alone else 0 <= place <= 384

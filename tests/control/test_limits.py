"""Three conventions for a limit, and one place to apply it."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dexlab_course.control import EffortLimits, compose_effort
from dexlab_course.errors import InvalidValueError, ShapeError

efforts = hnp.arrays(float, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats(allow_nan=False))


def test_the_three_conventions_say_different_things_with_the_same_numbers():
    assert EffortLimits.signed([-1, 0, 3]).apply([100.0, 100.0, 100.0]).tolist() == [100.0, 0.0, 3.0]
    assert EffortLimits.interval([-1, 0, 3], [5, 5, 5]).apply([-9.0, -9.0, -9.0]).tolist() == [-1.0, 0.0, 3.0]
    with pytest.raises(InvalidValueError, match="limit"):
        EffortLimits.symmetric([-1, 0, 3])


@given(efforts, hnp.arrays(float, 3, elements=st.floats(0, 1e6)))
def test_a_limited_effort_is_inside_and_limiting_again_changes_nothing(u, limit):
    limits = EffortLimits.symmetric(limit)
    once = limits.apply(u)
    assert (np.abs(once) <= limit).all()
    np.testing.assert_array_equal(limits.apply(once), once)
    inside = np.abs(u) <= limit
    np.testing.assert_array_equal(once[inside], u[inside])


@given(hnp.arrays(float, (4, 3), elements=st.floats(-1e6, 1e6)), hnp.arrays(float, 3, elements=st.floats(0, 1e6)))
def test_the_sum_is_limited_not_the_parts(terms, limit):
    limits = EffortLimits.symmetric(limit)
    expected = np.clip(((terms[0] + terms[1]) + terms[2]) + terms[3], -limit, limit)
    np.testing.assert_array_equal(compose_effort(*terms, limits=limits), expected)


def test_one_limit_for_all_and_broadcast_terms():
    limits = EffortLimits.symmetric(2.0)
    assert compose_effort(np.ones((4, 3)), [5.0, -5.0, 0.0], limits=limits).tolist() == [[2.0, -2.0, 1.0]] * 4
    assert compose_effort(7.0, limits=limits).shape == ()


def test_large_batches_give_the_same_as_small_ones():
    rng = np.random.default_rng(0)
    u = rng.normal(size=(3000, 7)) * 10
    limits = EffortLimits.interval(-rng.random(7), rng.random(7))
    np.testing.assert_array_equal(limits.apply(u), np.array([limits.apply(row) for row in u]))
    np.testing.assert_array_equal(limits.apply(u[:2000]), limits.apply(u)[:2000])  # the kept rows follow the batch
    before = u.copy()
    compose_effort(u, limits=limits)
    np.testing.assert_array_equal(u, before)


def test_infinities_are_limited_and_only_their_difference_is_an_error():
    limits = EffortLimits.symmetric([1.0, 1.0])
    assert limits.apply([math.inf, -math.inf]).tolist() == [1.0, -1.0]  # and no warning: warnings are errors in these tests
    assert compose_effort([math.inf, 0.0], [5.0, -math.inf], limits=limits).tolist() == [1.0, -1.0]
    with pytest.raises(InvalidValueError, match=r"index \(0,\)"):
        compose_effort([math.inf, 0.0], [-math.inf, 0.0], limits=limits)
    with pytest.raises(InvalidValueError, match="NaN at index"):
        limits.apply([0.0, math.nan])


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: EffortLimits.interval([1.0], [-1.0]), InvalidValueError),
        (lambda: EffortLimits.interval([math.nan], [1.0]), InvalidValueError),
        (lambda: EffortLimits.signed([math.nan]), InvalidValueError),
        (lambda: EffortLimits.interval([0.0], [1.0, 2.0]), ShapeError),
        (lambda: EffortLimits.symmetric([1.0, 1.0]).apply([1.0]), ShapeError),
        (lambda: compose_effort(limits=EffortLimits.symmetric(1.0)), ShapeError),
        (lambda: compose_effort([1.0, 2.0], [1.0, 2.0, 3.0], limits=EffortLimits.symmetric(1.0)), ShapeError),
        (lambda: compose_effort([1.0, 2.0, 3.0], limits=EffortLimits.symmetric([1.0, 1.0])), ShapeError),
        (lambda: compose_effort(["strong"], limits=EffortLimits.symmetric(1.0)), InvalidValueError),
    ],
)
def test_what_cannot_be_right_is_refused(make, error):
    with pytest.raises(error, match="To mend it"):
        make()


def test_limits_do_not_follow_the_array_they_came_from_and_can_be_stored():
    values = np.array([1.0, 2.0])
    limits = EffortLimits.symmetric(values)
    values[:] = 100.0
    assert limits.upper.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        limits.upper[0] = 5.0
    assert pickle.loads(pickle.dumps(limits)).apply([9.0, 9.0]).tolist() == [1.0, 2.0]

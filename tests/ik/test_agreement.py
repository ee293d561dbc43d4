"""The readable and the compiled solver are one algorithm: same starts, same steps, same decisions."""

import re

import numpy as np
import pytest

from dexlab_course.errors import InvalidValueError
from dexlab_course.ik import IkReason, descent, result, solve, solve_ik, starts, step
from dexlab_course.kinematics import frames

numba = pytest.importorskip("numba", reason="numba is not installed")


@pytest.mark.parametrize(
    ("name", "mask", "respect"),
    [
        ("panda", None, True),
        ("panda", None, False),
        ("panda", (1, 1, 1, 0, 0, 0), True),
        ("panda", (1, 0, 1, 1, 1, 0), True),
        ("ur5", None, True),
        ("kinova", None, True),
        ("tiago", None, True),
        ("iiwa", None, True),
        ("allegro_finger", (1, 1, 1, 0, 0, 0), True),
    ],
)
def test_both_solvers_take_the_same_steps(arm, name, mask, respect):
    chain = arm(name)
    rng = np.random.default_rng(6)
    X, q0 = chain.fk(chain.random(rng, 150)), chain.random(rng, 150)
    X[3, :3, 3] += 5.0
    X[4, 1, 1] = np.nan
    for begin in (q0, None):
        readable, compiled = (
            solve_ik(chain, X, begin, mask=mask, respect_limits=respect, rng=np.random.default_rng(1), compiled=form)
            for form in (False, True)
        )
        assert (readable.reason == compiled.reason).all()
        assert (readable.iterations == compiled.iterations).mean() > 0.98  # a decision on the last bit may fall either way
        same = (readable.restarts == compiled.restarts) & (readable.iterations == compiled.iterations)
        assert readable.q[same] == pytest.approx(compiled.q[same], abs=1e-5)
        assert readable.position_error[same] == pytest.approx(compiled.position_error[same], abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("count", [1, 11, 12, 16, 17, 40])
def test_lanes_do_not_change_an_answer(arm, count):
    chain = arm("panda")
    X = chain.fk(chain.random(np.random.default_rng(7), 40))[:count]
    readable, compiled = solve_ik(chain, X, compiled=False), solve_ik(chain, X, compiled=True)
    assert readable.q == pytest.approx(compiled.q, abs=1e-6)
    assert (readable.iterations == compiled.iterations).all()


def test_the_readable_form_refills_its_lanes(panda, monkeypatch):
    X = panda.fk(panda.random(np.random.default_rng(8), 50))
    expected = solve_ik(panda, X, compiled=False)
    monkeypatch.setattr(descent, "_LANES", 7)
    refilled = solve_ik(panda, X, compiled=False)
    assert refilled.q == pytest.approx(expected.q, abs=1e-9)
    assert (refilled.iterations == expected.iterations).all()


def test_both_forms_use_the_same_numbers():
    from dexlab_course.ik import compiled, compiled_scalar

    assert (compiled._HALVING, compiled._PATIENCE, compiled._MORE_PATIENCE_EVERY, compiled._LAST_PATIENCE) == (
        descent.HALVING,
        solve.PATIENCE,
        solve.MORE_PATIENCE_EVERY,
        solve.LAST_PATIENCE,
    )
    assert compiled._FLOOR == step.FLOOR
    assert compiled_scalar._ORTHONORMAL == frames.ROTATION_TOLERANCE
    codes = [getattr(compiled, f"_{reason.name}") for reason in result.REASONS]
    assert codes == [float(i) for i in range(len(IkReason))]


def test_both_forms_draw_the_same_numbers():
    from dexlab_course.ik.compiled_scalar import uniform

    counters = np.array([0, 1, 2, 10**6, 2**40])
    for seed in (0, 1, 2**53 - 1):
        mine = [uniform(np.uint64(seed), int(counter)) for counter in counters]
        assert starts.uniform(seed, counters).tolist() == mine


@pytest.mark.parametrize("mask", [np.ones(6), np.array([1.0, 1, 1, 0, 0, 0]), np.array([0.0, 0, 1, 1, 1, 0])])
def test_both_forms_choose_the_same_first_start(panda, mask):
    from dexlab_course.ik.compiled_scalar import nearest

    choices = starts.Choices.of(panda)
    X = panda.fk(panda.random(np.random.default_rng(0), 100))
    chosen = np.array([nearest(choices.poses, X, b, mask) for b in range(100)])
    assert (choices.nearest(X, mask) == choices.q[chosen]).mean() > 0.99


def test_the_choice_is_the_nearest_by_definition(panda):
    choices = starts.Choices.of(panda)
    X, X_choice = panda.fk(panda.random(np.random.default_rng(1), 50)), panda.fk(choices.q)
    apart = np.linalg.norm(X[:, None, :3, 3] - X_choice[:, :3, 3], axis=-1) ** 2
    cosine = (np.einsum("bij,nij->bn", X[:, :3, :3], X_choice[:, :3, :3]) - 1.0) / 2.0
    expected = choices.q[np.argmin(apart + 4.0 * starts.SQUARE_RADIAN * (1.0 - cosine), axis=1)]
    assert choices.nearest(X, np.ones(6)) == pytest.approx(expected)


def test_choices_lie_in_the_middle_half_of_the_ranges(panda):
    q = starts.Choices.of(panda).q
    share = (q - panda.lower) / (panda.upper - panda.lower)
    assert 0.25 <= share.min()
    assert share.max() <= 0.75
    assert share.mean(axis=0) == pytest.approx(np.full(7, 0.5), abs=0.01)  # evenly filled: random points would be off by more
    assert q.shape == (starts.CHOICES, 7)


def test_random_starts_fill_their_range_evenly():
    share = starts.uniform(12345, np.arange(20000))
    assert 0.0 <= share.min()
    assert share.max() < 1.0
    assert np.histogram(share, 10, (0, 1))[0] == pytest.approx(2000, abs=200)
    assert abs(np.corrcoef(share[:-1], share[1:])[0, 1]) < 0.03


def test_rotation_vectors_of_both_forms_near_pi():
    from dexlab_course.ik.compiled_scalar import rotation_vector

    rng = np.random.default_rng(0)
    for angle in (0.0, 1e-12, 1e-8, 1.0, 3.0, np.pi - 1e-3, np.pi - 1e-8, np.pi):
        for axis in [*np.eye(3), *-np.eye(3), *rng.normal(size=(5, 3))]:
            rotvec = angle * axis / np.linalg.norm(axis)
            R = frames.matrix_from_rotvec(rotvec)
            for answer in (np.array(rotation_vector(*R.ravel())), step.rotation_vectors(R.T[:, :, None])[:, 0]):
                gap = min(np.abs(answer - rotvec).max(), np.abs(answer + rotvec).max() if angle > 3.14 else np.inf)
                assert gap < 1e-9 * max(1.0, angle)


def test_without_numba_the_readable_form_answers(panda, monkeypatch):
    X = panda.fk(panda.random(np.random.default_rng(0), 3))
    expected = solve_ik(panda, X, compiled=False)
    monkeypatch.setattr(solve, "_kernel", lambda lanes: None)
    assert (solve_ik(panda, X).q == expected.q).all()
    with pytest.raises(InvalidValueError, match="pip install numba"):
        solve_ik(panda, X, compiled=True)


def test_no_second_version_is_ever_compiled(panda):
    from dexlab_course.ik import compiled

    compiled.warm_up()
    X = panda.fk(panda.random(np.random.default_rng(0), 30))
    frozen = X.copy()
    frozen.flags.writeable = False
    for goals in (X, X[0], frozen, X[::2], X.astype(np.float32), X[:0]):
        solve_ik(panda, goals, restarts=np.int64(3), compiled=True)
    for lanes in (1, 16):
        assert len(compiled.kernel(lanes).signatures) == 1
    assert re.match(r"array\(float64, 3d, C\)", str(compiled.kernel(1).signatures[0][1]))

"""The ten-minute self-test of the start page: seven questions, and a reason for each wrong answer that is easy to give."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from dexlab_course.claims.render import language
from dexlab_course.errors import unknown_name

Words = dict[str, str]
_NOT_YET = {"en": "not answered yet", "zh": "尚未作答"}
_RIGHT = {"en": "right", "zh": "正确"}
_SHAPE = {"en": "expected {n} number(s)", "zh": "应为 {n} 个数"}
_WRONG = {"en": "not quite. Hint: {hint}", "zh": "还不对。提示：{hint}"}


@dataclasses.dataclass(frozen=True)
class Question:
    """The right answer, a hint, and typical wrong answers with what they tell."""

    answer: tuple[float, ...]
    hint: Words
    slips: tuple[tuple[tuple[float, ...], Words], ...] = ()


QUESTIONS = {
    "torque": Question(
        (0.6,),
        {"en": "torque is force times lever arm, here at a right angle", "zh": "力矩等于力乘以力臂，这里两者垂直"},
        (((6.667,), {"en": "that is force divided by lever arm", "zh": "这是力除以力臂"}), ((60.0,), {"en": "that is N·cm: the lever must be in metres", "zh": "这是 N·cm：力臂须以米计"})),
    ),
    "speed": Question(
        (0.002,),
        {"en": "the acceleration is F/m; the velocity is acceleration times time, in seconds", "zh": "加速度为 F/m；速度等于加速度乘以时间（秒）"},
        (((2.0,), {"en": "that is the acceleration [m/s²], or the time in ms", "zh": "这是加速度 [m/s²]，或者时间用了毫秒"}), ((0.008,), {"en": "divide by the mass, do not multiply", "zh": "应除以质量，而不是乘以质量"})),
    ),
    "sign": Question(
        (-2.0,),
        {"en": "error is target minus position", "zh": "误差是目标减去位置"},
        (((2.0,), {"en": "the sign is turned: this spring pushes away from its target", "zh": "符号反了：这样的弹簧会把关节推离目标"}),),
    ),
    "radians": Question(
        (float(np.pi / 2),),
        {"en": "a full turn is 2π", "zh": "一整圈是 2π"},
        (((90.0,), {"en": "that is in degrees", "zh": "这是角度制"}), ((float(np.pi),), {"en": "that is half a turn", "zh": "这是半圈"})),
    ),
    "rotation": Question(
        (0.0, 1.0),
        {"en": "the first column of the rotation matrix is where the x axis goes", "zh": "旋转矩阵的第一列就是 x 轴转到的方向"},
        (((0.0, -1.0), {"en": "turned the other way: the rotation matrix is transposed", "zh": "方向反了：旋转矩阵被转置了"}), ((1.0, 0.0), {"en": "the point was not turned", "zh": "该点没有转动"})),
    ),
    "slope": Question(
        (-1.0,),
        {"en": "differentiate first, then put the angle in", "zh": "先求导，再代入角度"},
        (((1.0,), {"en": "the derivative of cos is −sin", "zh": "cos 的导数是 −sin"}), ((0.0,), {"en": "that is cos itself, not its slope", "zh": "这是 cos 的值，而不是它的斜率"})),
    ),
    "shape": Question(
        (2.0,),
        {"en": "rows of the matrix remain, its columns are summed over", "zh": "矩阵的行保留，列被求和"},
        (((3.0,), {"en": "that is the length of the vector that goes in", "zh": "这是输入向量的长度"}), ((6.0,), {"en": "that would be the number of entries of the matrix", "zh": "这是矩阵元素的个数"})),
    ),
}  # fmt: skip


def check_myself(name: str, answer: float | Sequence[float] | None) -> str:
    """One line on an answer: right, or why not. ``None`` is not answered yet.

    Raises:
        UnknownNameError: there is no such question.

    >>> check_myself("sign", 2.0)
    'sign: the sign is turned: this spring pushes away from its target'
    """
    if name not in QUESTIONS:
        raise unknown_name("question", name, QUESTIONS)
    return f"{name}: {_verdict(QUESTIONS[name], answer)}"


def _verdict(question: Question, answer: Any) -> str:
    say = language()
    if answer is None:
        return _NOT_YET[say]
    try:
        given = np.atleast_1d(np.asarray(answer, dtype=float)).ravel()
    except (TypeError, ValueError):
        given = np.array([])
    if given.size != len(question.answer):
        return _SHAPE[say].format(n=len(question.answer))
    if _close(given, question.answer):
        return _RIGHT[say]
    for slip, why in question.slips:
        if _close(given, slip):
            return why[say]
    return _WRONG[say].format(hint=question.hint[say])


def _close(given: Any, wanted: tuple[float, ...]) -> bool:
    return bool(np.allclose(given, wanted, rtol=5e-3, atol=1e-9))

"""What the links say about a motion, against what can be computed by hand."""

import numpy as np
import pytest

from dexlab_course.engines import installed
from dexlab_course.kinematics import frames
from dexlab_course.paths import ASSETS

pytestmark = pytest.mark.skipif(not installed("superdex"), reason="superdex is not installed")


def test_a_block_that_drifts_and_spins() -> None:
    from dexlab_course.engines.superdex import add_urdf, start
    from dexlab_course.engines.superdex.links import inertia, kinetic_energy, link_actors, link_pose, momentum

    physics, robotics = start()
    scene = physics.create_scene("links")
    scene.set_gravity([0.0, 0.0, 0.0])
    bot = add_urdf(scene, robotics.create_context(), ASSETS / "floating_seven.urdf", weld=False, contact=False)
    actor = bot.get_articulated_actor()
    actor.set_articulated_pose_from_joints(np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.5, *np.zeros(7)]))
    links = link_actors(bot)
    assert list(links) == ["base", *(f"link_{k}" for k in range(1, 8)), "tcp"]
    assert link_pose(links["base"]) == pytest.approx(frames.pose(frames.matrix_from_rotvec([0.0, 0.0, 0.5]), [1.0, 2.0, 3.0]))
    assert not inertia(links["tcp"]).any()

    # All links stand above each other, so a spin about z moves no centre of mass.
    actor.set_articulated_joint_velocities(np.array([0.5, 0.0, 0.0, 0.0, 0.0, 2.0, *np.zeros(7)]))
    scene.step(0.0)
    about_z = sum(inertia(link)[2, 2] for link in links.values())
    assert momentum(bot) == pytest.approx([14.4 * 0.5, 0.0, 0.0])
    assert kinetic_energy(bot) == pytest.approx(14.4 * 0.5**2 / 2 + about_z * 2.0**2 / 2)


def test_links_that_are_welded_to_the_world_have_no_part_in_a_motion() -> None:
    from dexlab_course.engines.superdex import add_urdf, start
    from dexlab_course.engines.superdex.links import kinetic_energy, momentum

    physics, robotics = start()
    bot = add_urdf(physics.create_scene("links"), robotics.create_context(), ASSETS / "floating_seven.urdf", contact=False)
    assert momentum(bot) == pytest.approx([0.0, 0.0, 0.0])
    assert kinetic_energy(bot) == 0.0


def test_a_joint_controller_that_is_asked_answers_for_every_slot_of_the_actor() -> None:
    from dexlab_course.engines.superdex import add_urdf, start
    from dexlab_course.engines.superdex.bench import add_pose_controller, ask_joint_pd, ask_pose_controller, set_joint_gains, tetrahedron

    physics, robotics = start()
    scene = physics.create_scene("asked")
    scene.set_gravity([0.0, 0.0, 0.0])
    bot = add_urdf(scene, robotics.create_context(), ASSETS / "two_joint_arm.urdf", contact=False)
    controller = bot.create_controller("BASIC_JSC_PD")
    set_joint_gains(controller, np.array([20.0, 30.0]))
    assert ask_joint_pd(controller, target_pose=np.array([0.1, -0.2])) == pytest.approx([2.0, -6.0])

    ask_pose_controller(add_pose_controller(bot, stiffness=100.0, damping=10.0), pose_dofs=np.array([0.0, 0.3]))
    scene.step(1e-3)
    velocity = np.zeros(2)
    bot.get_articulated_actor().get_articulated_joint_velocities(velocity)
    assert velocity[1] > 0
    assert tetrahedron() is not None

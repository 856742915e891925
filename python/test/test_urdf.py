"""Robots in URDF against equations of motion in joint coordinates, written here from the file alone: recursive Newton-Euler
(Featherstone, Rigid Body Dynamics Algorithms, 5.3), the mass matrix by unit accelerations, DOP853."""
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import gnomon as gn
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "validation" / "data" / "models" / "urdf"
G = np.array([0, 0, -9.81])


def triple(element, key, default=(0, 0, 0)):
    return np.array([float(x) for x in element.get(key).split()] if element is not None and element.get(key) else default)


def frame(element):
    origin = element.find("origin")
    return Rotation.from_euler("xyz", triple(origin, "rpy")).as_matrix(), triple(origin, "xyz")


class Robot:
    """Joints in the order of the file; q of one that turns or slides, of a floating one place and quaternion."""

    def __init__(self, file):
        root = ET.parse(file).getroot()
        self.links = {}
        for link in root.findall("link"):
            inertial = link.find("inertial")
            if inertial is None:
                self.links[link.get("name")] = (0.0, np.zeros(3), np.zeros((3, 3)))
                continue
            R, c = frame(inertial)
            i = inertial.find("inertia")
            xx, xy, xz, yy, yz, zz = (float(i.get(k, 0)) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            self.links[link.get("name")] = (float(inertial.find("mass").get("value")), c, R @ J @ R.T)
        self.joints, waiting = [], root.findall("joint")
        reached = set(self.links) - {j.find("child").get("link") for j in waiting}
        while waiting:
            joint = next(j for j in waiting if j.find("parent").get("link") in reached)
            waiting.remove(joint)
            reached.add(joint.find("child").get("link"))
            self.joints.append(joint)
        self.free = [j for j in self.joints if j.get("type") != "fixed" and j.find("mimic") is None]
        self.sizes = [6 if j.get("type") == "floating" else 1 for j in self.free]
        self.n = sum(self.sizes)
        self.steps = []
        for joint in self.joints:
            axis = triple(joint.find("axis"), "xyz", (1, 0, 0))
            self.steps.append((joint.get("name"), joint.get("type"), joint.find("parent").get("link"),
                               joint.find("child").get("link"), *frame(joint), axis / np.linalg.norm(axis)))
        self.first = (set(self.links) - {step[3] for step in self.steps}).pop()

    def motions(self, u, qdd=None):
        """q and rates of each joint from those of the free ones: value, rate, acceleration."""
        out, k = {}, 0
        for joint, size in zip(self.free, self.sizes):
            out[joint.get("name")] = u[k : k + size]
            k += size
        for joint in self.joints:
            mimic = joint.find("mimic")
            if mimic is not None:
                out[joint.get("name")] = float(mimic.get("multiplier", 1)) * out[mimic.get("joint")]
        return out

    def kinematics(self, q, v, a):
        """(R, p, omega, velocity, alpha, acceleration) of each link frame in space; q holds (p, R) of floating joints."""
        values, rates, accelerations = q, self.motions(v), self.motions(a)
        zero = np.zeros(3)
        at = {self.first: (np.eye(3), zero, zero, zero, zero, zero)}
        for name, kind, parent, child, R0, p0, axis in self.steps:
            R, p, w, u, al, ac = at[parent]
            r = R @ p0
            R, u, ac = R @ R0, u + np.cross(w, r), ac + np.cross(al, r) + np.cross(w, np.cross(w, r))
            p = p + r
            if kind == "floating":
                x, Q = values[name]
                p, R = x, Q
                u, w = rates[name][:3], Q @ rates[name][3:]
                ac, al = accelerations[name][:3], Q @ accelerations[name][3:]
            elif kind != "fixed":
                n = R @ axis
                s, ds, dds = values[name], rates[name][0], accelerations[name][0]
                if kind == "prismatic":
                    p, u = p + s * n, u + np.cross(w, s * n) + ds * n
                    ac = ac + np.cross(al, s * n) + np.cross(w, np.cross(w, s * n)) + 2 * np.cross(w, n) * ds + dds * n
                else:
                    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
                    R = R @ (np.eye(3) + np.sin(s) * K + (1 - np.cos(s)) * K @ K)
                    al = al + np.cross(w, n) * ds + n * dds
                    w = w + n * ds
            at[child] = (R, p, w, u, al, ac)
        return at

    def unit_rates(self, q):
        return [self.kinematics(q, e, np.zeros(self.n)) for e in np.eye(self.n)]

    def power_of(self, q, v, a, unit_rates):
        """sum over links of (d/dt of momenta less weight) . (velocities by unit rates): M a + h."""
        out = np.zeros(self.n)
        moving = self.kinematics(q, v, a)
        for name, (m, c, J) in self.links.items():
            if m == 0:
                continue
            R, _, w, _, al, ac = moving[name]
            r, I = R @ c, R @ J @ R.T
            force = m * (ac + np.cross(al, r) + np.cross(w, np.cross(w, r)) - G)
            moment = I @ al + np.cross(w, I @ w) + np.cross(r, force)
            for k, by in enumerate(unit_rates):
                out[k] += force @ by[name][3] + moment @ by[name][2]
        return out

    def damping(self, v):
        out, rates, k = np.zeros(self.n), self.motions(v), 0
        for joint, size in zip(self.free, self.sizes):
            d = joint.find("dynamics")
            if size == 1 and d is not None:
                out[k] = float(d.get("damping", 0)) * rates[joint.get("name")][0]
            k += size
        return out

    def values(self, x):
        """q by name from the state of DOP853: of a floating joint its place and, as quaternion, its turn."""
        out, k = {}, 0
        for joint, size in zip(self.free, self.sizes):
            name = joint.get("name")
            if size == 6:
                quaternion = x[k + 3 : k + 7]
                out[name] = (x[k : k + 3], Rotation.from_quat(quaternion / np.linalg.norm(quaternion)).as_matrix())
                k += 7
            else:
                out[name] = x[k]
                k += 1
        for joint in self.joints:
            mimic = joint.find("mimic")
            if mimic is not None:
                out[joint.get("name")] = float(mimic.get("multiplier", 1)) * out[mimic.get("joint")] + float(mimic.get("offset", 0))
        return out, k

    def slope(self, _, x):
        q, count = self.values(x)
        v = x[count:]
        by = self.unit_rates(q)
        h = self.power_of(q, v, np.zeros(self.n), by)
        M = np.column_stack([self.power_of(q, v, e, by) - h for e in np.eye(self.n)])
        h = h + self.damping(v)
        rates, k, at = [], 0, 0
        for size in self.sizes:
            if size == 6:
                quaternion, w = x[at + 3 : at + 7], v[k + 3 : k + 6]
                rates += list(v[k : k + 3])
                i, r = quaternion[:3], quaternion[3]
                rates += list(0.5 * (r * w + np.cross(i, w))) + [-0.5 * i @ w]
                at += 7
            else:
                rates.append(v[k])
                at += 1
            k += size
        return np.concatenate([rates, np.linalg.solve(M, -h)])

    def centres(self, x, bodies):
        """Of what moves as one, the links of a body together."""
        at = self.kinematics(self.values(x)[0], np.zeros(self.n), np.zeros(self.n))
        out = {}
        for body, names in bodies.items():
            masses = [self.links[name][0] for name in names]
            out[body] = sum(m * (at[name][1] + at[name][0] @ self.links[name][1]) for m, name in zip(masses, names)) / sum(masses)
        return out


def clean(name):
    text = re.sub(r"[^A-Za-z0-9]", "_", name)
    text = "n" + text if text[0].isdigit() else text
    return text + "_" if text == "t" else text


ROBOTS = {
    "arm6": ([0.3, -1.1, 0.9, 0.4, -0.7, 0.2], [0.5, 0, -0.4, 0.3, 0.6, 0.1]),
    "arm7": ([0.2, 0.5, -0.3, 1.1, 0.4, -0.6, 0.7], [0.1, -0.2, 0.3, 0, 0.5, -0.1, 0.4]),
    "scara": ([0.4, -0.8, 0.05, 0.3], [1.0, -0.5, 0.1, 2.0]),
    "gripper": ([0.7, 0.01], [1.2, 0.05]),
    "quadruped": ([0, 0, 0.5, 0, 0, 0, 1] + [0.6, -1.2] * 4, [0] * 6 + [0.3, -0.2, -0.1, 0.4, 0.2, 0.1, -0.3, 0.2]),
    "names": ([0.8, -0.4], [0.5, 1.5]),
}


def started(name, q, v):
    robot = Robot(FOLDER / f"{name}.urdf")
    one = [j for j in robot.free if j.get("type") != "floating"]
    places, rates = (q[7:], v[6:]) if len(one) < len(robot.free) else (q, v)
    start = {}
    for joint, x, u in zip(one, places, rates):
        start[clean(joint.get("name")) + "_start"] = x
        start[clean(joint.get("name")) + "_speed"] = u
    return robot, gn.Model.from_toml(str(FOLDER / f"{name}.urdf"), **start)


@pytest.mark.parametrize("name", ROBOTS)
def test_motions_in_joint_coordinates(name):
    q, v = ROBOTS[name]
    robot, model = started(name, q, v)
    until = 0.2  # before limits are reached
    solution = gn.solve(model, (0, until), rtol=1e-11)
    assert solution.success, solution.message
    reference = solve_ivp(robot.slope, (0, until), np.array(q + v, dtype=float), method="DOP853", rtol=1e-11, atol=1e-12)
    bodies = {}
    for joint in robot.joints:
        child = joint.find("child").get("link")
        if joint.get("type") != "fixed":
            bodies[clean(child)] = [child]
    for joint in robot.joints:  # in the order of the tree
        if joint.get("type") == "fixed":
            parent = joint.find("parent").get("link")
            for names in bodies.values():
                if parent in names:
                    names.append(joint.find("child").get("link"))
    for body, centre in robot.centres(reference.y[:, -1], bodies).items():
        own = [solution.outputs[f"{body}.{c}"][-1] for c in "xyz"]
        assert np.abs(np.array(own) - centre).max() < 1e-8, (body, own, centre)


def closed(robot, x, loops):
    """M a + h = G' lam, G a + (dG/dt) v = 0 of links whose origins coincide: a tree with loops closed, x = (q, v)."""
    q, n = robot.values(x)[0], robot.n
    v, by = x[n:], robot.unit_rates(q)
    h = robot.power_of(q, v, np.zeros(n), by)
    M = np.column_stack([robot.power_of(q, v, e, by) - h for e in np.eye(n)])
    moving = robot.kinematics(q, v, np.zeros(n))
    G = np.vstack([np.column_stack([one[a][3] - one[b][3] for one in by]) for a, b in loops])
    turning = np.concatenate([moving[a][5] - moving[b][5] for a, b in loops])
    K = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    return np.concatenate([v, np.linalg.solve(K, -np.concatenate([h + robot.damping(v), turning]))[:n]])


def test_loops_closed_beside_the_file():
    """A URDF is a tree: what is imported has the origins of all links as markers, which further joints hold together."""
    file = FOLDER / "delta.urdf"
    loops = [("foot2", "tip2"), ("foot3", "tip3")]
    mechanism = gn.Mechanism.from_file(file)
    for foot, tip in loops:
        mechanism.joint(f"close{foot[-1]}", "spherical", f"platform.{foot}", f"fore{tip[-1]}.{tip}")
    robot, until = Robot(file), 0.15
    solution = gn.solve(mechanism, (0, until), rtol=1e-11)
    assert solution.success, solution.message
    reference = solve_ivp(lambda _, x: closed(robot, x, loops), (0, until), np.zeros(2 * robot.n), method="DOP853", rtol=1e-11, atol=1e-12)
    x = reference.y[:, -1]
    at = robot.kinematics(robot.values(x)[0], np.zeros(robot.n), np.zeros(robot.n))
    assert abs(x[0]) > 0.05  # the first arm fell
    for body in ("arm1", "fore2", "fore3", "platform"):
        centre = at[body][1] + at[body][0] @ robot.links[body][1]
        own = np.array([solution.outputs[f"{body}.{c}"][-1] for c in "xyz"])
        assert np.abs(own - centre).max() < 1e-8, (body, own - centre)


def test_what_is_decided_is_written():
    text = gn._core.robot_text(str(FOLDER / "names.urdf"))
    assert '"names of \\"parts\\""' in text
    for part in ("The root link base/link is fixed", "1st-arm (line 4) is named n1st_arm", "Left out: gazebo, line", "and 1 more",
                 "Left out: collision of links", "# with mount, sensor", "Left out: transmission"):
        assert part in text, part
    # What is imported is the same model.
    a = gn.Model.from_toml(text)
    b = gn.Model.from_toml(str(FOLDER / "names.urdf"))
    x, y = (gn.solve(m, (0, 0.2), rtol=1e-8) for m in (a, b))
    assert np.array_equal(x.y[:, -1], y.y[:, -1])


SHAPES = """<robot name="r"><link name="a"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><origin xyz="0 0 .5" rpy="0 0 1"/><geometry><cylinder radius=".1" length=".4"/></geometry></visual>
<visual><geometry><mesh filename="package://part_of/meshes/hook.stl" scale="1e-3 1e-3 1e-3"/></geometry></visual>
<visual><geometry><mesh filename="other.dae"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""


def test_visual_shapes_are_drawn(tmp_path):
    for folder in ("urdf", "meshes"):
        (tmp_path / "part_of" / folder).mkdir(parents=True)
    file, hook = tmp_path / "part_of" / "urdf" / "r.urdf", tmp_path / "part_of" / "meshes" / "hook.stl"
    file.write_text(SHAPES)
    hook.write_text("solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n")
    text = gn._core.robot_text(str(file))
    for part in ("{ cylinder = [0.1, 0.4], position = [0, 0, 0.5], orientation = { rpy = [0, 0, 1] } }", f'{{ mesh = "{hook}", scale = 0.001 }}',
                 "[points.a]\nposition = [0, 0, 0]\ndrawn = [\n  { box = [1, 2, 3] }", "Left out: mesh other.dae, which cannot be read"):
        assert part in text, part
    assert gn.solve(gn.Model.from_toml(str(file)), (0, 0.1), rtol=1e-6).success
    # A file that is written elsewhere names the mesh from there.
    program, out = os.environ.get("GNOMON_PROGRAM") or shutil.which("gnomon"), tmp_path / "r.toml"
    if program is None:
        return
    subprocess.run([program, "import", str(file), "--output", str(out)], check=True)
    assert 'mesh = "part_of/meshes/hook.stl"' in out.read_text()
    subprocess.run([program, "check", str(out)], check=True, capture_output=True)


ROBOT = '<robot name="r"><link name="a"/><link name="b">{inertial}</link><joint name="j" type="{type}"><parent link="{parent}"/><child link="b"/>{more}</joint></robot>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


@pytest.mark.parametrize(
    "text, says",
    [
        (ROBOT.format(inertial="", type="revolute", parent="a", more=""), "link b has no mass and moves by joint j"),
        (ROBOT.format(inertial=MASS, type="ball", parent="a", more=""), 'joint j is of the type "ball"'),
        (ROBOT.format(inertial=MASS, type="revolute", parent="aa", more=""), 'unknown link "aa"; did you mean "a"?'),
        (ROBOT.format(inertial=MASS, type="revolute", parent="a", more='<axis xyz="0 0 0"/>'), "the axis of joint j has the length zero"),
        (ROBOT.format(inertial=MASS, type="revolute", parent="a", more='<axis xyz="0 1"/>'), 'is "0 1", expected three numbers'),
        (ROBOT.format(inertial=MASS, type="revolute", parent="b", more=""), "every link is the child|both no child|go round"),
        (ROBOT.format(inertial=MASS, type="revolute", parent="a", more='<mimic joint="k"/>'), 'joint j mimics "k"'),
        ('<robot xmlns:xacro="x"><xacro:macro name="m"/></robot>', "it is a macro file"),
        ("<robot><link", "not XML"),
        ("<!-- nothing -->", "there is no element"),
        ("<model/>", "expected robot"),
        ('<robot name="r"/>', "there is no link"),
    ],
)
def test_mistakes_are_named(tmp_path, text, says):
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with pytest.raises(gn.ModelError, match=r"robot\.urdf:\d+:1: ") as error:
        gn.Model.from_toml(str(file))
    assert re.search(says, str(error.value)) or says in str(error.value)


@pytest.mark.parametrize("file", sorted(FOLDER.parent.glob("*/*.urdf")) + sorted(FOLDER.parent.glob("*/*.sdf")) + sorted(FOLDER.parent.glob("mjcf/*.xml")), ids=lambda file: file.name)
def test_robots_pass_every_check(file):
    """Two limits of a joint, constraints that repeat others and dry friction beside dampers included."""
    assert gn.check(gn.Model.from_toml(str(file)))

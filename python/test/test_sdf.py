"""Models in SDFormat against Newton-Euler equations of every body with all its constraints, written here from the file alone:
frames as the specification resolves them, Gauss's principle of least constraint for the accelerations, DOP853."""
import pathlib
import re
import xml.etree.ElementTree as ET

import gnomon as gn
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "validation" / "data" / "models" / "sdf"
ONE_AXIS = ("revolute", "continuous", "prismatic")


def numbers(element, key, default):
    text = element.findtext(key) if element is not None else None
    return np.array([float(x) for x in text.split()]) if text else np.array(default, dtype=float)


def one(element, key, default=0.0):
    return numbers(element, key, [default])[0]


def frame(pose):
    """A pose element as a 4 x 4 matrix: six numbers, or seven with a quaternion x y z w."""
    X = np.eye(4)
    if pose is not None and pose.text:
        x = np.array([float(word) for word in pose.text.split()])
        turn = Rotation.from_quat(x[3:]) if pose.get("rotation_format") == "quat_xyzw" else Rotation.from_euler(
            "xyz", x[3:], degrees=pose.get("degrees") == "true")
        X[:3, :3], X[:3, 3] = turn.as_matrix(), x[:3]
    return X


class Scope:
    """A model or the world: what its names mean, poses in its own frame."""

    def __init__(self, element, path="", outer=None, still=False):
        self.element, self.path, self.outer = element, path, outer
        self.still = still or element.findtext("static") in ("true", "1")
        self.items = {e.get("name"): e for e in element if e.tag in ("link", "joint", "frame")}
        models = element.findall("model")
        prefix = element.tag == "model" or len(models) > 1
        self.nested = {m.get("name"): Scope(m, path + m.get("name") + "::" if prefix else "", self, self.still) for m in models}

    def all(self):
        return [self] + [inner for model in self.nested.values() for inner in model.all()]

    def of(self, name):
        """What a frame without a pose of its own is relative to, and attached to."""
        e = self.items[name]
        return e.findtext("child").strip() if e.tag == "joint" else e.get("attached_to") or "__model__"

    def pose(self, element, default):
        pose = element.find("pose")
        return self.placed(pose is not None and pose.get("relative_to") or default) @ frame(pose)

    def placed(self, name):
        if name in ("__model__", "world"):
            return np.eye(4)
        first, _, rest = name.partition("::")
        if first in self.nested:
            model = self.nested[first]
            X = self.pose(model.element, "__model__")
            if model.element.get("placement_frame"):
                X = X @ np.linalg.inv(model.placed(model.element.get("placement_frame")))
            return X @ model.placed(rest or "__model__")
        return self.pose(self.items[name], self.of(name))

    def in_space(self):
        if self.outer is None:
            return np.eye(4) if self.element.tag == "world" else frame(self.element.find("pose"))
        return self.outer.in_space() @ self.outer.placed(self.element.get("name"))

    def link(self, name):
        """Of which link a frame is a part."""
        first, _, rest = name.partition("::")
        if name == "world":
            return name
        if name == "__model__":
            first = self.element.findall("link") + self.element.findall("model")
            return self.link(self.element.get("canonical_link") or first[0].get("name"))
        if first in self.nested:
            return self.nested[first].link(rest or "__model__")
        return self.path + name if self.items[name].tag == "link" else self.link(self.of(name))


class Joint:
    def __init__(self, scope, element):
        self.name, self.type = scope.path + element.get("name"), element.get("type")
        self.parent, self.child = (scope.link(element.findtext(key).strip()) for key in ("parent", "child"))
        X = scope.in_space() @ scope.placed(element.get("name"))
        self.point, self.axes, self.dynamics = X[:3, 3], [], element.find("axis/dynamics")
        for axis in element.findall("axis") + element.findall("axis2"):
            base = axis.find("xyz").get("expressed_in")
            n = (scope.in_space() @ scope.placed(base) if base else X)[:3, :3] @ numbers(axis, "xyz", (0, 0, 1))
            self.axes.append(n / np.linalg.norm(n))
        self.pitch, self.ratio = one(element, "thread_pitch", 1.0), one(element, "gearbox_ratio", 1.0)
        reference = element.findtext("gearbox_reference_body")
        self.reference = scope.link(reference.strip()) if reference else None
        if self.type != "ball" and self.axes:
            e = np.cross(self.axes[0], np.eye(3)[np.argmin(np.abs(self.axes[0]))])
            self.across = [e / np.linalg.norm(e), np.cross(self.axes[0], e / np.linalg.norm(e))]


class Reference:
    """Bodies by number, 0 is what does not move; position of the centre of mass, quaternion, velocity and angular velocity in space."""

    def __init__(self, file):
        root = ET.parse(file).getroot()
        world = root.find("world")
        scopes = Scope(root.find("model") if world is None else world).all()
        self.gravity = numbers(world, "gravity", (0, 0, -9.8))
        links, still = {}, ["world"]
        for scope in scopes:
            for element in scope.element.findall("link"):
                name, inertial = scope.path + element.get("name"), element.find("inertial")
                X = scope.in_space() @ scope.placed(element.get("name"))
                Y = X @ frame(inertial.find("pose") if inertial is not None else None)
                i = inertial.find("inertia") if inertial is not None else None
                xx, xy, xz, yy, yz, zz = (one(i, k, k[1] == k[2]) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
                J = Y[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ Y[:3, :3].T
                links[name] = (one(inertial, "mass", 1.0), Y[:3, 3], J)  # without an inertial 1 kg and 1 kg m2
                if scope.still:
                    still.append(name)
        self.joints = [Joint(scope, element) for scope in scopes for element in scope.element.findall("joint")]
        self.spanning_tree(links, still)
        self.mass, self.centre, self.inertia = [1.0], [np.zeros(3)], [np.eye(3)]
        for body in self.names[1:]:
            parts = [links[name] for name in links if self.group[name] == self.names.index(body)]
            m = sum(part[0] for part in parts)
            c = sum(part[0] * part[1] for part in parts) / m
            self.mass.append(m)
            self.centre.append(c)
            self.inertia.append(sum(J + k * ((x - c) @ (x - c) * np.eye(3) - np.outer(x - c, x - c)) for k, x, J in parts))
        self.mass, self.centre = np.array(self.mass), np.array(self.centre)
        self.roots_of_inverse = [vectors / np.sqrt(values) for values, vectors in map(np.linalg.eigh, self.inertia)]
        self.constrain()

    def spanning_tree(self, links, still):
        """Breadth first; what fixed joints hold together is one body, named by the link that is reached first."""
        self.names, self.tree, self.free, self.group = ["world"], [], [], {}
        queue, waiting = [], list(links)

        def reach(link, body):
            self.group[link] = body
            queue.append(link)
            for joint in self.joints:
                for here, there in ((joint.parent, joint.child), (joint.child, joint.parent)):
                    if joint.type == "fixed" and here == link and there not in self.group:
                        reach(there, body)

        def new(link):
            self.names.append(link)
            reach(link, len(self.names) - 1)
            return len(self.names) - 1

        for name in still:
            reach(name, 0)
        while queue or waiting:
            if not queue and waiting[0] not in self.group:  # the first one of what is free
                self.free.append(new(waiting[0]))
            at = queue.pop(0) if queue else waiting.pop(0)
            for joint in self.joints:
                for here, there, sign in ((joint.parent, joint.child, 1), (joint.child, joint.parent, -1)):
                    if here == at and there not in self.group:
                        self.tree.append((joint, self.group[at], new(there), sign))

    def constrain(self):
        """Three measures of bodies a and b: u . d slides, d between points of both; u . w is square; about u b turns against a.
        A constraint is a combination of them, and so is the motion in the one axis of a joint."""
        parts, constraints, self.drives = [], [], []

        def part(kind, a, b, point, u, w=(0, 0, 0)):
            parts.append((kind, a, b, point - self.centre[a], point - self.centre[b], u, w))
            return len(parts) - 1

        for joint in self.joints:
            if joint.type == "fixed":
                continue
            a, b, x = self.group[joint.parent], self.group[joint.child], joint.point
            if joint.type == "gearbox":
                r = self.group[joint.reference]
                constraints.append({part(2, r, a, x, joint.axes[0]): joint.ratio, part(2, r, b, x, joint.axes[1]): 1})
                continue
            if joint.type in ("ball", "universal", "revolute2"):
                constraints += [{part(0, a, b, x, u): 1} for u in np.eye(3)]
                if joint.type != "ball":
                    constraints.append({part(1, a, b, x, *joint.axes): 1})
                continue
            n, across = joint.axes[0], joint.across
            constraints += [{part(0, a, b, x, u): 1} for u in across] + [{part(1, a, b, x, u, n): 1} for u in across]
            along, about = part(0, a, b, x, n), part(2, a, b, x, n)
            if joint.type == "screw":
                constraints.append({along: 1, about: 1 / joint.pitch})
            elif joint.type == "prismatic":
                constraints.append({part(1, a, b, x, *across): 1})
                self.drives.append((joint, along))
            else:
                constraints.append({along: 1})
                self.drives.append((joint, about))
        self.kind, self.a, self.b = (np.array([p[k] for p in parts]) for k in range(3))
        self.ra, self.rb, self.u, self.w = (np.array([p[k] for p in parts]) for k in range(3, 7))
        self.sums = np.zeros((len(constraints), len(parts)))
        for k, constraint in enumerate(constraints):
            self.sums[k, list(constraint)] = list(constraint.values())

    def unpack(self, x):
        """p, R, v, omega of all bodies, the ground first."""
        n = len(self.names) - 1
        p, q, v, w = np.split(x, [3 * n, 7 * n, 10 * n])
        R = Rotation.from_quat(q.reshape(n, 4)).as_matrix()  # quaternions x y z w, normalised there
        zero = np.zeros((1, 3))
        return [np.vstack([zero, p.reshape(n, 3)]), np.concatenate([[np.eye(3)], R]),
                np.vstack([zero, v.reshape(n, 3)]), np.vstack([zero, w.reshape(n, 3)])]

    def measures(self, p, R, v, w):
        """Values of what slides and is square, rows of their rates, and second derivatives without accelerations."""
        def turned(body, vectors):
            return np.einsum("kij,kj->ki", R[body], vectors)

        def dot(x, y):
            return np.einsum("ki,ki->k", x, y)

        a, b, X = self.a, self.b, np.cross
        u, n, ra, rb, wa, wb = turned(a, self.u), turned(b, self.w), turned(a, self.ra), turned(b, self.rb), w[a], w[b]
        d = p[b] + rb - p[a] - ra
        rate = v[b] + X(wb, rb) - v[a] - X(wa, ra)
        s, c, du = (self.kind == 0)[:, None], X(u, n), X(wa, u)
        turn = np.where((self.kind == 1)[:, None], -c, u)
        k, rows = np.arange(len(a)), np.zeros((len(a), len(self.names), 6))
        rows[k, b] = np.hstack([np.where(s, u, 0), np.where(s, X(rb, u), turn)])
        rows[k, a] = np.hstack([np.where(s, -u, 0), np.where(s, -X(ra + d, u), -turn)])
        slides = dot(u, X(wb, X(wb, rb)) - X(wa, X(wa, ra))) + 2 * dot(du, rate) + dot(X(wa, du), d)
        square = dot(wa - wb, X(du, n) + X(u, X(wb, n)))
        bias = np.choose(self.kind, [slides, square, dot(du, wb - wa)])
        return np.choose(self.kind, [dot(u, d), dot(u, n), 0 * k]), rows[:, 1:].reshape(len(a), -1), bias

    def forces(self, R, values, rows, v):
        """Springs and dampers in the axes of joints, and the weight."""
        force = np.outer(self.mass[1:], np.append(self.gravity, np.zeros(3))).ravel()
        for joint, k in self.drives:
            value = values[k]
            if joint.type != "prismatic":
                e, n = joint.across[0], R[self.a[k]] @ joint.axes[0]
                x, y = R[self.a[k]] @ e, R[self.b[k]] @ e
                value = np.arctan2(n @ np.cross(x, y), x @ y)
            c, s, rest = (one(joint.dynamics, key) for key in ("damping", "spring_stiffness", "spring_reference"))
            force -= (c * (rows[k] @ v) + s * (value - rest)) * rows[k]
        return force

    def weights(self, R):
        """W with W W' the inverse of the mass matrix."""
        W = np.zeros((6 * len(R) - 6, 6 * len(R) - 6))
        for k in range(1, len(R)):
            at = 6 * k - 6
            W[at : at + 3, at : at + 3] = np.eye(3) / np.sqrt(self.mass[k])
            W[at + 3 : at + 6, at + 3 : at + 6] = R[k] @ self.roots_of_inverse[k]
        return W

    def slope(self, _, x):
        p, R, v, w = self.unpack(x)
        values, rows, bias = self.measures(p, R, v, w)
        u = np.hstack([v, w])[1:].ravel()
        force = self.forces(R, values, rows, u).reshape(-1, 6)
        for k in range(1, len(self.names)):
            force[k - 1, 3:] -= np.cross(w[k], R[k] @ self.inertia[k] @ R[k].T @ w[k])
        W, G = self.weights(R), self.sums @ rows
        own = W.T @ force.ravel()
        y = own + np.linalg.lstsq(G @ W, -self.sums @ bias - G @ W @ own, rcond=1e-9)[0]
        a = (W @ y).reshape(-1, 6)
        q = x[3 * len(a) : 7 * len(a)].reshape(-1, 4)
        turning = 0.5 * np.hstack([q[:, 3:] * w[1:] + np.cross(w[1:], q[:, :3]), -np.sum(q[:, :3] * w[1:], axis=1)[:, None]])
        return np.concatenate([v[1:].ravel(), turning.ravel(), a[:, :3].ravel(), a[:, 3:].ravel()])

    def start(self, places, speeds):
        """Everything beyond a joint turned or moved by its start, the first body of what is free at rest. Speeds of joints that are
        not given follow where constraints give them. The state, and the speeds of all."""
        D = [np.eye(4) for _ in self.names]
        for joint, here, there, sign in self.tree:
            E, s = np.eye(4), sign * places.get(joint.name, 0.0)
            if joint.type == "prismatic":
                E[:3, 3] = s * joint.axes[0]
            elif joint.type in ONE_AXIS:
                E[:3, :3] = Rotation.from_rotvec(s * joint.axes[0]).as_matrix()
                E[:3, 3] = joint.point - E[:3, :3] @ joint.point
            D[there] = D[here] @ E
        p = np.array([E[:3, :3] @ c + E[:3, 3] for E, c in zip(D, self.centre)])
        R, zero = np.array([E[:3, :3] for E in D]), np.zeros_like(p)
        _, rows, _ = self.measures(p, R, zero, zero)
        held = [(rows[k], speeds[joint.name]) for joint, k in self.drives if joint.name in speeds]
        held += [(row, 0) for k in self.free for row in np.eye(rows.shape[1])[6 * k - 6 : 6 * k]]
        G, W = np.vstack([self.sums @ rows] + [row for row, _ in held]), self.weights(R)
        right = np.concatenate([np.zeros(len(self.sums)), [speed for _, speed in held]])
        u = W @ np.linalg.lstsq(G @ W, right, rcond=1e-9)[0]
        assert np.abs(G @ u - right).max() < 1e-12
        v, w = np.split(u.reshape(-1, 6), 2, axis=1)
        own = [joint for joint, *_ in self.tree]
        return (np.concatenate([p[1:].ravel(), Rotation.from_matrix(R[1:]).as_quat().ravel(), v.ravel(), w.ravel()]),
                {joint.name: rows[k] @ u for joint, k in self.drives if joint in own})

    def run(self, x, until):
        solution = solve_ivp(self.slope, (0, until), x, method="DOP853", rtol=1e-12, atol=1e-13)
        p, R, v, w = self.unpack(solution.y[:, -1])
        values = self.measures(p, R, v, w)[0]
        only = np.all((self.sums == 0) | (self.kind < 2), axis=1)  # constraints without angles
        assert np.abs(self.sums[only] @ values).max() < 1e-10  # nothing drifted off its constraints
        return p, R @ np.transpose(self.unpack(x)[1], (0, 2, 1))


def clean(name):
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


LEGS = {f"leg_{k + 1}": speed for k, speed in enumerate([0.2, -0.1, 0.15, 0.05, -0.12, 0.1])}
MODELS = {  # places and speeds of joints at the start, until when; before limits are reached
    "stewart": ({}, LEGS, 0.2),
    "arm": ({"shoulder_pan": 0.4, "shoulder_lift": -0.3, "elbow": 0.5, "wrist_1_joint": -0.6, "wrist_2_joint": 0.7, "wrist_3_joint": -0.2},
            {"shoulder_pan": 0.5, "shoulder_lift": -0.2, "elbow": 0.6, "wrist_1_joint": 0.3, "wrist_2_joint": -0.8, "wrist_3_joint": 1.1},
            0.25),
    "world": ({"satellite::panel_hinge": 0.3, "satellite::wheel_spin": 0.2},
              {"satellite::panel_hinge": -0.5, "satellite::wheel_spin": 40.0, "gondola::boom_hinge": 0, "gondola::basket::swing": 0}, 0.3),
    "fourbar": ({"slide": 0.01}, {"slide": 0.15, "crank_pin": 0, "coupler_pin": 0, "rocker_pin": 0}, 0.3),
    "transmission": ({}, {"motor_bearing": 12.0}, 0.25),
}


@pytest.mark.parametrize("name", MODELS)
def test_motions_in_maximal_coordinates(name):
    places, speeds, until = MODELS[name]
    reference = Reference(FOLDER / f"{name}.sdf")
    x, all_speeds = reference.start(places, speeds)
    start = {clean(joint) + "_start": value for joint, value in places.items()}
    start |= {clean(joint) + "_speed": value for joint, value in (all_speeds | speeds).items()}
    solution = gn.solve(gn.Model.from_toml(str(FOLDER / f"{name}.sdf"), **start), (0, until), rtol=1e-11)
    assert solution.success, solution.message
    places, turns = reference.run(x, until)
    for link, place, turn in list(zip(reference.names, places, turns))[1:]:
        body = clean(link)
        own = np.array([solution.outputs[f"{body}.{c}"][-1] for c in "xyz"])
        assert np.abs(own - place).max() < 1e-8, (body, own, place)
        q = np.array([solution.outputs[f"{body}.q{k}"][[0, -1]] for k in (1, 2, 3, 0)])
        R = Rotation.from_quat(q.T).as_matrix()
        assert np.abs(R[1] @ R[0].T - turn).max() < 1e-8, body


def test_what_is_decided_is_written():
    text = gn._core.robot_text(str(FOLDER / "stewart.sdf"))
    for part in ("Left out: plugin", "Left out: sensor", "Left out: collision"):
        assert part in text, part
    # A link and a joint have one name where what formulas do not take is replaced.
    assert "cardan-shaft (line " in (text := gn._core.robot_text(str(FOLDER / "transmission.sdf")))
    assert ") is named cardan_shaft_." in text and "[bodies.cardan_shaft]" in text


MODEL = '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>{}</model></sdf>'
JOINT = MODEL.format('<joint name="j" type="{type}"><parent>{parent}</parent><child>b</child>{more}</joint>')
AXIS = "<axis><xyz>{}</xyz></axis>"


@pytest.mark.parametrize(
    "text, says",
    [
        ("<sdf", "not XML"),
        ("<robot/>", 'the outermost element is "robot", expected sdf'),
        ('<sdf version="1.9"/>', "there is no model with a link|libsdformat refuses"),
        ('<sdf version="1.9"><world name="w"><include><uri>model://x</uri></include></world></sdf>', "it includes other files: write `gz sdf -p"),
        (MODEL.format("<link name='a'/>"), "libsdformat refuses it: .*\\[a\\]|libsdformat refuses it"),
        (MODEL.format("<link name='c'><gravity>false</gravity></link>"), "link c is without gravity"),
        (JOINT.format(type="revolute", parent="aa", more=AXIS.format("0 0 1")), "libsdformat refuses it: .*aa"),
        (JOINT.format(type="hinge", parent="a", more=AXIS.format("0 0 1")), "libsdformat refuses it: .*hinge"),
        (JOINT.format(type="revolute", parent="a", more=""), "joint j has no axis"),
        (JOINT.format(type="revolute", parent="a", more=AXIS.format("0 0 0")), "libsdformat refuses it: .*zero"),
        (JOINT.format(type="universal", parent="a", more=AXIS.format("0 0 1") + AXIS.format("0 1 1").replace("axis", "axis2")),
         "joint j has two axes with the cosine 0.7071"),
        (JOINT.format(type="screw", parent="a", more=AXIS.format("0 0 1") + "<thread_pitch>0</thread_pitch>"), "has the thread_pitch 0"),
        (JOINT.format(type="gearbox", parent="a", more="<gearbox_reference_body>b</gearbox_reference_body>" + AXIS.format("0 0 1")
                      + AXIS.format("0 0 1").replace("axis", "axis2")), "gearbox j: expected a revolute joint about its axis between b and a"),
    ],
)
def test_mistakes_are_named(tmp_path, text, says):
    file = tmp_path / "robot.sdf"
    file.write_text(text)
    with pytest.raises(gn.ModelError, match=r"robot\.sdf:\d+:1: ") as error:
        gn.Model.from_toml(str(file))
    assert re.search(says, str(error.value)), error.value

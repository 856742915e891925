"""Models in MuJoCo's MJCF against equations of motion in joint coordinates, written here from the file alone: the joints of a body
one after the other without anything between them, mass matrix and bias by the Jacobians of bodies in space, loops by Gauss's
principle of least constraint, DOP853."""
import pathlib
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import gnomon as gn
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "validation" / "data" / "models" / "mjcf"
ACTUATORS = ("motor", "position", "velocity")


def numbers(attributes, key, default=(0, 0, 0)):
    return np.array([float(x) for x in attributes[key].split()] if key in attributes else default, dtype=float)


def unit(x):
    return x / np.linalg.norm(x)


def zaxis(z):
    """The shortest turn of the axis z to this direction."""
    n, (x, y, z) = np.cross([0, 0, 1], z), z
    s = np.linalg.norm(n)
    return Rotation.from_rotvec(np.arctan2(s, z) * (n / s if s > 1e-10 else np.array([1, 0, 0]))).as_matrix()


def solid(kind, size):
    """Volume, and moments of inertia by volume about the centre: of a capsule those of a cylinder and two hemispheres."""
    x, y, z = np.append(size, [0, 0, 0])[:3]
    if kind in ("capsule", "cylinder"):
        tube, ends = 2 * np.pi * x**2 * y, 4 / 3 * np.pi * x**3 * (kind == "capsule")
        across = tube * (x**2 / 4 + y**2 / 3) + ends * (0.4 * x**2 + y**2 + 0.75 * x * y)
        return tube + ends, np.array([across, across, tube * x**2 / 2 + ends * 0.4 * x**2]) / (tube + ends)
    y, z = (x, x) if kind == "sphere" else (y, z)
    volume, k = (8 * x * y * z, 3) if kind == "box" else (4 / 3 * np.pi * x * y * z, 5)
    return volume, np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / k


def together(parts):
    """Mass, centre and inertia about it."""
    m = sum(part[0] for part in parts)
    c = sum(part[0] * part[1] for part in parts) / m
    return m, c, sum(J + k * ((x - c) @ (x - c) * np.eye(3) - np.outer(x - c, x - c)) for k, x, J in parts)


def crossed(V, S):
    """The rate of motions S (columns of angular velocity and velocity of what is at the origin) that move along with V."""
    return np.concatenate([np.cross(V[:3], S[:3], axis=0), np.cross(V[:3], S[3:], axis=0) + np.cross(V[3:], S[:3], axis=0)])


class Reference:
    """State: motions of hinges and slides from what is drawn, quaternions w x y z of balls; then rates. A free joint is three slides
    and a ball."""

    def __init__(self, file):
        root = ET.parse(file).getroot()
        self.compiler = {key: x for e in root.findall("compiler") for key, x in e.attrib.items()}
        self.degree = 1 if self.compiler.get("angle") == "radian" else np.pi / 180
        option = root.find("option")
        self.gravity = numbers(option.attrib if option is not None else {}, "gravity", (0, 0, -9.81))
        self.classes, self.bodies, self.joints, self.start = {}, [], [], []
        for element in root.findall("default"):
            self.default(element, {}, "main")
        for element in root.find("worldbody").findall("body"):
            self.body(element, None, "main")
        self.n, self.named = sum(3 if j.kind == "ball" else 1 for j in self.joints), {j.name: j for j in self.joints}
        self.start = np.array(self.start, dtype=float)
        self.equalities = [e for e in root.iterfind("equality/*") if e.get("active") != "false"]
        self.actuators = [(e, self.actuator(e.tag, e.attrib, self.classes.get(e.get("class", "main"), {}).get("actuator", {})))
                          for e in root.iterfind("actuator/*")]
        drawn = self.motion(self.start, np.zeros(self.n))
        self.anchors = []  # of connect and weld: in both bodies
        for e in self.equalities:
            if e.tag != "joint":
                (a, (R, p)), (b, (S, r)) = [(k, drawn[k][:2] if k >= 0 else (np.eye(3), np.zeros(3))) for k in self.ends(e)]
                x = numbers(e.attrib, "anchor")
                self.anchors.append((a, x, b, S.T @ (R @ x + p - r)))

    def default(self, element, outer, name):
        own = {tag: dict(attributes) for tag, attributes in outer.items()}
        for e in element:
            if e.tag in ACTUATORS:
                own["actuator"] = self.actuator(e.tag, e.attrib, own.get("actuator", {}))
            elif e.tag != "default":
                own.setdefault(e.tag, {}).update(e.attrib)
        self.classes[name] = own
        for e in element.findall("default"):
            self.default(e, own, e.get("class"))

    def attributes(self, element, child_class):
        return self.classes.get(element.get("class", child_class), {}).get(element.tag, {}) | element.attrib

    def actuator(self, tag, own, inherited):
        """Gear, gain and what position and speed are multiplied by: classes have them for actuators of all kinds together."""
        a = {"gear": 1.0, "gain": 1.0, "kp": 0.0, "kv": 0.0} | inherited | {"gear": float(own.get("gear", inherited.get("gear", 1)))}
        if tag == "motor":
            return a | {"gain": 1.0, "kp": 0.0, "kv": 0.0}
        a["gain"] = float(own.get("kp" if tag == "position" else "kv", a["gain"]))
        return a | ({"kp": a["gain"], "kv": float(own.get("kv", a["kv"]))} if tag == "position" else {"kp": 0.0, "kv": a["gain"]})

    def turn(self, a):
        if "quat" in a:
            return Rotation.from_quat(numbers(a, "quat")[[1, 2, 3, 0]]).as_matrix()
        if "axisangle" in a:
            x = numbers(a, "axisangle")
            return Rotation.from_rotvec(unit(x[:3]) * x[3] * self.degree).as_matrix()
        if "euler" in a:  # small letters turn along, which SciPy writes in capital ones
            return Rotation.from_euler(self.compiler.get("eulerseq", "xyz").swapcase(), numbers(a, "euler") * self.degree).as_matrix()
        if "xyaxes" in a:
            x, y = unit(numbers(a, "xyaxes")[:3]), numbers(a, "xyaxes")[3:]
            y = unit(y - x @ y * x)
            return np.column_stack([x, y, np.cross(x, y)])
        return zaxis(numbers(a, "zaxis", (0, 0, 1)))

    def geom(self, a):
        kind, size, R, c = a.get("type", "sphere"), numbers(a, "size"), self.turn(a), numbers(a, "pos")
        if "fromto" in a:
            x, y = np.split(numbers(a, "fromto"), 2)
            R, c, half = zaxis(x - y), (x + y) / 2, np.linalg.norm(x - y) / 2
            size = [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
        volume, J = solid(kind, size)
        m = float(a.get("mass", float(a.get("density", 1000)) * volume))
        return m, c, R @ np.diag(m * J) @ R.T

    def body(self, element, parent, outer):
        child = element.get("childclass", outer)
        inertial = element.find("inertial")
        if inertial is None:
            parts = [self.geom(self.attributes(e, child)) for e in element.findall("geom")]
        else:
            a, R = inertial.attrib, self.turn(inertial.attrib)
            J = np.diag(numbers(a, "diaginertia"))
            if "fullinertia" in a:
                J = numbers(a, "fullinertia")[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
            parts = [(float(a["mass"]), numbers(a, "pos"), R @ J @ R.T)]
        k, R, p, joints = len(self.bodies), self.turn(element.attrib), numbers(element.attrib, "pos"), []
        self.bodies.append(SimpleNamespace(name=element.get("name"), parent=parent, R=R, p=p, inertial=together(parts), joints=joints))
        for e in element:
            if e.tag == "freejoint" or e.tag == "joint" and e.get("type") == "free":
                for axis, x in zip(np.eye(3), p):
                    self.joint({"type": "slide", "axis": " ".join(map(str, axis))}, joints, [x])
                self.joint({"type": "ball", "free": ""}, joints, Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]])
                self.bodies[k].R, self.bodies[k].p = np.eye(3), np.zeros(3)
            elif e.tag == "joint":
                a = self.attributes(e, child)
                self.joint(a, joints, [1, 0, 0, 0] if a.get("type") == "ball" else [0])
        fixed = not joints
        self.bodies[k].group = k if not fixed else self.bodies[parent].group if parent is not None else None
        for e in element.findall("body"):
            self.body(e, k, child)

    def joint(self, a, joints, start):
        kind, last = a.get("type", "hinge"), self.joints[-1] if self.joints else None
        scale = self.degree if kind == "hinge" else 1.0
        ref, rest = (scale * float(a.get(key, 0)) for key in ("ref", "springref"))
        joints.append(SimpleNamespace(
            name=a.get("name", f"unnamed {len(self.joints)}"), kind=kind, at=len(self.start), point=numbers(a, "pos"),
            k=last.k + (3 if last.kind == "ball" else 1) if last else 0, axis=unit(numbers(a, "axis", (0, 0, 1))), ref=ref,
            rest=rest - ref, held=kind != "ball" or "free" in a, stiffness=float(a.get("stiffness", 0)), damping=float(a.get("damping", 0))))
        self.joints.append(joints[-1])
        self.start += list(start)

    def ends(self, e):
        names = [body.name for body in self.bodies]
        return [names.index(e.get(key)) if e.get(key, "world") != "world" else -1 for key in ("body1", "body2")]

    def motion(self, q, v):
        """R, p, Jacobian of angular velocity and velocity of what is at the origin, its acceleration without that of joints."""
        out, space = [], (np.eye(3), np.zeros(3), np.zeros((6, self.n)), np.zeros(6))
        for body in self.bodies:
            R, p, J, A = out[body.parent] if body.parent is not None else space
            R, p, J = R @ body.R, p + R @ body.p, J.copy()
            for joint in body.joints:
                x, k = p + R @ joint.point, joint.k
                if joint.kind == "slide":
                    n = (R @ joint.axis)[:, None]
                    S, p = np.vstack([0 * n, n]), p + q[joint.at] * n[:, 0]
                else:
                    w, *u = q[joint.at : joint.at + 4] if joint.kind == "ball" else (0, 0, 0, 0)
                    turn = Rotation.from_quat([*u, w]) if joint.kind == "ball" else Rotation.from_rotvec(q[joint.at] * joint.axis)
                    R = R @ turn.as_matrix()
                    p = x - R @ joint.point
                    n = R if joint.kind == "ball" else (R @ joint.axis)[:, None]
                    S = np.vstack([n, np.cross(x, n, axisb=0, axisc=0)])
                J[:, k : k + S.shape[1]] = S
                A = A + crossed(J @ v, S @ v[k : k + S.shape[1]])
            out.append((R, p, J, A))
        return out

    def equations(self, q, v, controls):
        """Mass matrix, bias with the weight, forces of springs, dampers and actuators, constraints G a + b = 0."""
        M, h, f, at = np.zeros((self.n, self.n)), np.zeros(self.n), np.zeros(self.n), self.motion(q, v)
        for body, (R, p, J, A) in zip(self.bodies, at):
            m, c, own = body.inertial
            c, V = p + R @ c, J @ v
            K = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
            I = np.block([[R @ own @ R.T - m * K @ K, m * K], [-m * K, m * np.eye(3)]])
            P, weight = I @ V, m * np.concatenate([np.cross(c, self.gravity), self.gravity])
            M += J.T @ I @ J
            h += J.T @ (I @ A - weight + np.concatenate([np.cross(V[:3], P[:3]) + np.cross(V[3:], P[3:]), np.cross(V[:3], P[3:])]))
        for joint in self.joints:
            if joint.kind != "ball":
                f[joint.k] -= joint.damping * v[joint.k] + joint.stiffness * (q[joint.at] - joint.rest)
        for e, a in self.actuators:
            joint, gear = self.named[e.get("joint")], a["gear"]
            length, speed = gear * (q[joint.at] + joint.ref), gear * v[joint.k]
            f[joint.k] += gear * (a["gain"] * controls.get(e.get("name"), 0) - a["kp"] * length - a["kv"] * speed)
        return M, h, f, *self.constraints(q, v, at)

    def constraints(self, q, v, at):
        rows, bias, anchors = [np.zeros((0, self.n))], [np.zeros(0)], iter(self.anchors)
        for e in self.equalities:
            if e.tag == "joint":
                c, row, b = np.polynomial.Polynomial(numbers(e.attrib, "polycoef")), np.eye(self.n)[self.named[e.get("joint1")].k], 0.0
                if e.get("joint2"):
                    other = self.named[e.get("joint2")]
                    row[other.k] = -c.deriv()(q[other.at])
                    b = -c.deriv(2)(q[other.at]) * v[other.k] ** 2
                rows.append(row[None])
                bias.append([b])
                continue
            G, b = np.zeros((6, self.n)), np.zeros(6)
            a, x, other, y = next(anchors)
            for sign, k, r in ((1, a, x), (-1, other, y)):
                if k < 0:
                    continue
                R, p, J, A = at[k]
                r, w = p + R @ r, J[:3] @ v
                u = J[3:] - np.cross(r, J[:3], axisb=0, axisc=0)
                G += sign * np.vstack([u, J[:3]])
                b += sign * np.concatenate([A[3:] + np.cross(A[:3], r) + np.cross(w, u @ v), A[:3]])
            size = 3 if e.tag == "connect" else 6
            rows.append(G[:size])
            bias.append(b[:size])
        return np.vstack(rows), np.concatenate(bias)

    def accelerations(self, q, v, controls):
        M, h, f, G, b = self.equations(q, v, controls)
        W = np.linalg.inv(np.linalg.cholesky(M)).T
        own = W.T @ (f - h)
        return W @ (own + np.linalg.lstsq(G @ W, -b - G @ W @ own, rcond=1e-9)[0]) if len(G) else W @ own

    def slope(self, x, controls):
        q, v = np.split(x, [len(self.start)])
        rates = np.zeros_like(q)
        for joint in self.joints:
            if joint.kind == "ball":
                (w, *u), s = q[joint.at : joint.at + 4], v[joint.k : joint.k + 3]
                rates[joint.at : joint.at + 4] = 0.5 * np.append(-np.dot(u, s), w * s + np.cross(u, s))
            else:
                rates[joint.at] = v[joint.k]
        return np.concatenate([rates, self.accelerations(q, v, controls)])

    def begin(self, places, speeds):
        """Joints at their places and speeds, 0 by default; those of equalities follow, speeds of balls those of all others."""
        q, rows, rates, following = self.start.copy(), [], [], []
        for name, place in places.items():
            q[self.named[name].at] += place
        for e in self.equalities:
            if e.tag == "joint":
                following.append(joint := self.named[e.get("joint1")])
                x = q[self.named[e.get("joint2")].at] if e.get("joint2") else 0.0
                q[joint.at] = np.polynomial.Polynomial(numbers(e.attrib, "polycoef"))(x)
        for joint in self.joints:
            if joint.held and joint not in following:
                own = np.eye(self.n)[joint.k : joint.k + (3 if joint.kind == "ball" else 1)]
                rows.append(own)
                rates += [speeds.get(joint.name, 0)] * len(own)
        M, *_, G, _ = self.equations(q, np.zeros(self.n), {})
        W, G, right = np.linalg.inv(np.linalg.cholesky(M)).T, np.vstack([G] + rows), np.append(np.zeros(len(G)), rates)
        v = W @ np.linalg.lstsq(G @ W, right, rcond=1e-9)[0]
        assert np.abs(G @ v - right).max() < 1e-12
        return np.concatenate([q, v])

    def bodies_at(self, x):
        """Centres of mass and turns of what moves as one, by the name of its first body."""
        out, at = {}, self.motion(*np.split(x, [len(self.start)]))
        for k, body in enumerate(self.bodies):
            if body.group == k:
                members = [(b.inertial, *at[i][:2]) for i, b in enumerate(self.bodies) if b.group == k]
                out[clean(body.name)] = together([(m, p + R @ c, J) for (m, c, J), R, p in members])[1], at[k][0]
        return out


def clean(name):
    text = re.sub(r"[^A-Za-z0-9]", "_", name)
    return "n" + text if text[0].isdigit() else text


MODELS = {  # places and speeds of joints at the start, controls, until when; before limits are reached
    "arm": ({"shoulder_pan": 0.4, "shoulder_lift": -0.3, "elbow": 0.5, "wrist_1_joint": -0.6, "wrist_2_joint": 0.7, "wrist_3_joint": -0.2},
            {"shoulder_pan": 0.5, "shoulder_lift": -0.2, "elbow": 0.6, "wrist_1_joint": 0.3, "wrist_2_joint": -0.8, "wrist_3_joint": 1.1},
            {}, 0.25),
    # A ball starts as drawn where all joints about it do.
    "geoms": ({"flap": 0.2}, {"slew": 0.5, "run": 0.3, "pin": 0.7, "flap": -1.5}, {}, 0.3),
    "hinge_slide_ball": (
        {"root_x": 0.1, "root_z": -0.05, "root_y": 0.2, "hip": 0.5, "knee": -0.7, "feed": 0.01, "spindle": 0.5, "yaw": 0.3, "pitch": -0.4,
         "roll": 0.5, "spread": 0.2, "flex": 0.3, "twist": -0.2, "bend": 0.4},
        {"root_x": 0.5, "root_z": 0.4, "root_y": -0.6, "hip": 1.0, "knee": -2.0, "feed": 0.1, "spindle": 20.0, "azimuth": 0.5, "yaw": 1.0,
         "pitch": -0.5, "roll": 0.8, "spread": 1.0, "flex": -0.5, "twist": 0.7, "bend": 2.0, "heave": 0.3}, {}, 0.2),
    "loops": ({"cam_shaft": 0.4, "plane": 0.3}, {"cam_shaft": 3.0, "plane": 0.5}, {}, 0.2),
    "actuators": ({"bridge_x": 0.05, "cart_y": -0.02, "shoulder": 0.2, "elbow": -0.3},
                  {"bridge_x": 0.2, "cart_y": 0.3, "shoulder": -0.4, "elbow": 1.0},
                  {"x-drive": 2.0, "y_servo": 0.15, "y_brake": -0.3, "shoulder_servo": 0.6, "elbow_motor": -0.4, "elbow_brake": 0.9}, 0.25),
}


@pytest.mark.parametrize("name", MODELS)
def test_motions_in_joint_coordinates(name):
    places, speeds, controls, until = MODELS[name]
    reference = Reference(FOLDER / f"{name}.xml")
    start = {clean(key) + end: x for end, values in (("_start", places), ("_speed", speeds), ("_control", controls)) for key, x in values.items()}
    solution = gn.solve(gn.Model.from_toml(str(FOLDER / f"{name}.xml"), **start), (0, until), rtol=1e-11)
    assert solution.success, solution.message
    x = reference.begin(places, speeds)
    y = solve_ivp(lambda _, x: reference.slope(x, controls), (0, until), x, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    q, v = np.split(y, [len(reference.start)])
    G = reference.equations(q, v, {})[3]
    assert np.abs(G @ v).max(initial=0) < 1e-10  # nothing drifted off its constraints
    first, last = reference.bodies_at(x), reference.bodies_at(y)
    for body, (centre, turn) in last.items():
        own = np.array([solution.outputs[f"{body}.{c}"][-1] for c in "xyz"])
        assert np.abs(own - centre).max() < 1e-8, (body, own, centre)
        quaternions = np.array([solution.outputs[f"{body}.q{k}"][[0, -1]] for k in (1, 2, 3, 0)])
        R = Rotation.from_quat(quaternions.T).as_matrix()
        assert np.abs(R[1] @ R[0].T - turn @ first[body][1].T).max() < 1e-8, body


def test_what_is_decided_is_written():
    text = gn._core.robot_text(str(FOLDER / "hand.xml"))
    for part in ("light", "camera", "site", "contact", "contact of geoms", "tendon", "sensor", "keyframe", "armature of joints",
                 "ctrlrange of actuators", "motor without a joint of actuators", "general of actuators",
                 "damping, stiffness, frictionloss and range of ball joints"):
        assert f"# Left out: {part}, line " in text, part
    assert re.search(r"# Left out: armature of joints, line \d+ and 1 more\.", text)
    for part in (r"1st palm \(line \d+\) is named n1st_palm\.", r"index-base \(line \d+\) is named index_base\.", "friction_torque = 0.02"):
        assert re.search(part, text), part
    text = gn._core.robot_text(str(FOLDER / "hinge_slide_ball.xml"))
    assert "Body torso has several joints: between them are links of 1e-09 of its mass." in text


def test_frames_and_classes_mean_the_same_as_without(tmp_path):
    plain = '<body name="a" pos="1 2 0" euler="0 0 90"><joint name="j" axis="0 1 0" damping="4"/><geom size="0.1" pos="0 0.2 1"/></body>'
    framed = ('<frame pos="1 0 0" euler="0 0 90" childclass="k"><body name="a" pos="2 0 0"><joint name="j" axis="0 1 0"/>'
              '<frame pos="0 0 1"><geom size="0.1" pos="0 0.2 0"/></frame></body></frame>')
    default, ends, file = '<default><default class="k"><joint damping="4"/></default></default>', [], tmp_path / "a.xml"
    for bodies in (plain, framed):
        file.write_text(f"<mujoco>{default}<worldbody>{bodies}</worldbody></mujoco>")
        solution = gn.solve(gn.Model.from_toml(str(file), j_speed=1.0), (0, 0.2), rtol=1e-11)
        ends.append([solution.outputs[f"a.{c}"][-1] for c in "xyz"])
    assert np.abs(np.subtract(*ends)).max() < 1e-12, ends


BODY = '<mujoco><worldbody><body name="b">{}</body></worldbody>{}</mujoco>'
GEOM, HINGE = '<geom size="1"/>', '<joint name="j"/>'


@pytest.mark.parametrize(
    "text, says",
    [
        ("<mujoco", "not XML"),
        ("<robot/>", 'the outermost element is "robot", expected mujoco'),
        ("<mujoco/>", "there is no body"),
        ('<mujoco><include file="x.xml"/></mujoco>', "it has the element include, of which MuJoCo makes a whole"),
        (BODY.format(HINGE, ""), "link b has no mass and moves by joint j"),
        (BODY.format(HINGE + '<joint name="k" axis="1 0 0"/>', ""), "body b has no mass and moves"),
        (BODY.format(GEOM + HINGE + HINGE, ""), "joint j is given twice"),
        (BODY.format(GEOM + '<joint name="j" type="hing"/>', ""), 'joint j is of the type "hing", expected one of hinge, slide, ball and free'),
        (BODY.format(GEOM + '<joint axis="0 0 0"/>', ""), "axis of joint is zero"),
        (BODY.format(GEOM + HINGE + "<freejoint/>", ""), "is free, expected the only one of a body of the world"),
        (BODY.format('<geom size="1 x"/>' + HINGE, ""), 'size of geom is "1 x", expected 1 to 3 numbers'),
        (BODY.format('<geom type="box" size="1"/>' + HINGE, ""), "a geom of the type box has 1 sizes, expected 3"),
        (BODY.format('<geom class="c" size="1"/>', ""), 'there is no default class "c"'),
        (BODY.format(GEOM + HINGE, '<equality><connect body1="bb"/></equality>'), 'unknown body "bb"; did you mean "b"?, the body1 of connect'),
        (BODY.format(GEOM + HINGE, '<equality><tendon/></equality>'), "the equality tendon has no counterpart"),
        (BODY.format(GEOM + HINGE, '<equality><joint joint1="j"/><joint joint1="j"/></equality>'), "joint j is joint1 of two equalities"),
        (BODY.format(GEOM + HINGE, '<actuator><motor joint="k"/></actuator>'), 'motor is of joint "k", expected a hinge or a slide'),
    ],
)
def test_mistakes_are_named(tmp_path, text, says):
    file = tmp_path / "robot.xml"
    file.write_text(text)
    with pytest.raises(gn.ModelError, match=r"robot\.xml:\d+:1: ") as error:
        gn.Model.from_toml(str(file))
    assert says in str(error.value)

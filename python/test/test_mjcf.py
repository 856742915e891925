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


def numbers(attributes, key, default=()):
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
        self.actuators = [(e.tag, self.attributes(e, "main")) for e in root.iterfind("actuator/*")]
        drawn = self.motion(self.start, np.zeros(self.n))
        self.anchors = []  # of connect and weld: in both bodies
        for e in self.equalities:
            if e.tag != "joint":
                (a, (R, p)), (b, (S, r)) = [(k, drawn[k][:2] if k >= 0 else (np.eye(3), np.zeros(3))) for k in self.ends(e)]
                x = numbers(e.attrib, "anchor", (0, 0, 0))
                self.anchors.append((a, x, b, S.T @ (R @ x + p - r)))

    def default(self, element, outer, name):
        own = {tag: dict(attributes) for tag, attributes in outer.items()}
        for e in element:
            if e.tag != "default":
                own.setdefault(e.tag, {}).update(e.attrib)
        self.classes[name] = own
        for e in element.findall("default"):
            self.default(e, own, e.get("class"))

    def attributes(self, element, child_class):
        return self.classes.get(element.get("class", child_class), {}).get(element.tag, {}) | element.attrib

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
        kind, size, R, c = a.get("type", "sphere"), numbers(a, "size"), self.turn(a), numbers(a, "pos", (0, 0, 0))
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
            J = np.diag(numbers(a, "diaginertia", (0, 0, 0)))
            if "fullinertia" in a:
                J = numbers(a, "fullinertia")[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
            parts = [(float(a["mass"]), numbers(a, "pos"), R @ J @ R.T)]
        k, R, p, joints = len(self.bodies), self.turn(element.attrib), numbers(element.attrib, "pos", (0, 0, 0)), []
        self.bodies.append(SimpleNamespace(name=element.get("name"), parent=parent, R=R, p=p, inertial=together(parts), joints=joints))
        for e in element:
            if e.tag == "freejoint" or e.tag == "joint" and e.get("type") == "free":
                for axis, x in zip(np.eye(3), p):
                    self.joint({"type": "slide", "axis": " ".join(map(str, axis))}, joints, [x])
                self.joint({"type": "ball"}, joints, Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]])
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
            name=a.get("name", f"unnamed {len(self.joints)}"), kind=kind, at=len(self.start), point=numbers(a, "pos", (0, 0, 0)),
            k=last.k + (3 if last.kind == "ball" else 1) if last else 0, axis=unit(numbers(a, "axis", (0, 0, 1))), ref=ref,
            rest=rest - ref, stiffness=float(a.get("stiffness", 0)), damping=float(a.get("damping", 0))))
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
        for tag, a in self.actuators:
            joint, gear = self.named[a["joint"]], float(a.get("gear", 1))
            kp, kv = float(a.get("kp", 1)) * (tag == "position"), float(a.get("kv", 1)) * (tag == "velocity")
            gain = {"motor": 1, "position": kp, "velocity": kv}[tag]
            length, speed = gear * (q[joint.at] + joint.ref), gear * v[joint.k]
            f[joint.k] += gear * (gain * controls.get(a["name"], 0) - kp * length - kv * speed)
        return M, h, f, *self.constraints(q, v, at)

    def constraints(self, q, v, at):
        rows, bias, anchors = [np.zeros((0, self.n))], [np.zeros(0)], iter(self.anchors)
        for e in self.equalities:
            if e.tag == "joint":
                joint, c, follows = self.named[e.get("joint1")], np.polynomial.Polynomial(numbers(e.attrib, "polycoef", (0, 1))), e.get("joint2")
                row, b = np.eye(self.n)[joint.k], 0.0
                if follows:
                    other = self.named[follows]
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

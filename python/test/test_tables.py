"""Tables that the program writes, read back."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import gnomon as gn
import numpy as np
import pytest
from gnomon import own_process
from gnomon.own_process import in_own_process

program = os.environ.get("GNOMON_PROGRAM") or shutil.which("gnomon")
pytestmark = pytest.mark.skipif(not program, reason="the gnomon program is not at hand")


def run(folder, output, *more):
    subprocess.run(
        [program, "run", "double-spherical-pendulum", "--step", "1e-2", "--until", "1", "--output", output, *more],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / output


@pytest.fixture(params=[".csv", ".h5", ".jsonl"])
def written(request, tmp_path):
    if request.param == ".h5":
        pytest.importorskip("h5py")
    return run(tmp_path, "a" + request.param, "--times", "0:0.05:1")


def test_a_table_is_what_solve_finds(written):
    table = gn.read(written)
    assert table.columns[:3] == ["t", "bob1.x", "bob1.y"] and len(table) == len(table.columns)
    np.testing.assert_allclose(table.t, np.linspace(0, 1, 21), rtol=0, atol=1e-15)
    assert table.units["t"] == "s" and table.units["bob1.x"] == "m" and table.units["der(bob2.z)"] == "m/s"
    assert "lambda.rod1" in table and np.abs(table["energy_error"]).max() < 1e-13

    problem = gn.solve("double-spherical-pendulum", (0, 1), scheme="energy-momentum", step=1e-2)
    np.testing.assert_array_equal(table["bob2.x"][-1], problem.q[3, -1])
    frame = table.to_dataframe()
    assert frame.index.name == "t" and frame.attrs["units"]["bob1.x"] == "m"
    theirs = problem.to_dataframe()
    for name in ("bob1.x", "der(bob2.z)", "energy"):
        assert name in frame and name in theirs


def test_provenance_and_kinds(tmp_path):
    pytest.importorskip("h5py")
    for output in ("a.h5", "a.jsonl"):
        table = gn.read(run(tmp_path, output))
        assert table.provenance["problem"] == "double-spherical-pendulum"
        assert table.provenance["command"].startswith("gnomon run double-spherical-pendulum")
        assert table.kinds["bob1.x"] == "position" and table.kinds["lambda.rod1"] == "multiplier"


def test_formats_hold_the_same_numbers(tmp_path):
    pytest.importorskip("h5py")
    one, two, three = (gn.read(run(tmp_path, "a" + end)) for end in (".csv", ".h5", ".jsonl"))
    assert one.columns == two.columns == three.columns
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])
        np.testing.assert_array_equal(one[name], three[name])


def test_what_is_no_table(tmp_path):
    for name, text, said in (
        ("a.csv", "t,x\n1,2\n3\n", "line 3"),
        ("a.csv", "t,x\n1,two\n", "two"),
        ("a.csv", "", "names of the columns"),
        ("a.jsonl", "{}\n", "line 1"),
        ("a.jsonl", '{"columns": [{"name": "t"}]}\n{"x": 1}\n', "line 2"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(gn.FileError, match=said):
            gn.read(tmp_path / name)
    for name in ("a.csv", "a.h5", "a.jsonl"):
        (tmp_path / "folders" / name).mkdir(parents=True)
        with pytest.raises(gn.FileError, match=f'{name}" cannot be read: it is a folder$'):
            gn.read(tmp_path / "folders" / name)
    with pytest.raises(gn.FileError, match="nothing.csv"):
        gn.read(tmp_path / "nothing.csv")
    with pytest.raises(gn.BadValueError, match="none of"):
        gn.read(tmp_path / "a.txt")


def test_without_h5py(tmp_path):
    path = run(tmp_path, "a.h5")
    source = f"import sys; sys.modules['h5py'] = None; import gnomon; gnomon.read({str(path)!r})"
    outcome = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=dict(os.environ))
    assert outcome.returncode != 0 and "needs the package h5py" in outcome.stderr.splitlines()[-1]
    assert Path(path).exists()


def test_damaged_tables_are_refused(tmp_path):
    pytest.importorskip("h5py")
    draw = random.Random(1)
    for end in (".h5", ".csv", ".jsonl"):
        path = Path(run(tmp_path, "a" + end))
        sound, table, refused = path.read_bytes(), gn.read(path), 0
        for number in range(60):
            data = bytearray(sound)
            if number % 4 == 0:
                del data[draw.randrange(len(data)) :]
            else:
                for _ in range(draw.choice([1, 1, 10])):
                    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            path.write_bytes(data)
            try:
                found = gn.read(path)
            except gn.FileError as error:
                assert str(path) in str(error) and "\n" not in str(error)
                refused += 1
            else:  # checksums are those of .h5 alone
                assert end != ".h5" or all(np.array_equal(found[name], table[name], equal_nan=True) for name in table)
        assert refused > 20


def test_a_reader_that_crashes_is_one_sentence(monkeypatch):
    with pytest.raises(gn.FileError, match="table is damaged: .* crashes .*Segmentation fault"):
        in_own_process("table", lambda: os.kill(os.getpid(), signal.SIGSEGV))
    with pytest.raises(KeyError, match="x"):
        in_own_process("table", lambda: {}["x"])
    assert in_own_process("table", lambda: [1, 2]) == [1, 2]
    monkeypatch.setattr(own_process, "SECONDS_OF_WAITING", 0.2)
    with pytest.raises(gn.FileError, match="table is damaged: .* does not come to an end .*Alarm clock"):
        in_own_process("table", lambda: time.sleep(60))

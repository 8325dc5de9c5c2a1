"""A real server for tests: `SLUICEGATE_BIN`, or what cargo has built in the repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_BUILT = Path(__file__).parents[3] / "target/debug/sluicegate"


def _program() -> str:
    named = os.environ.get("SLUICEGATE_BIN")
    if named:
        return named
    if not _BUILT.exists() and not os.environ.get("CI"):
        pytest.skip("no server: set SLUICEGATE_BIN, or build it")
    return str(_BUILT)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that ends with the test."""
    command = [_program(), "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), line
        yield line.removeprefix("listening on ").strip()
        process.kill()

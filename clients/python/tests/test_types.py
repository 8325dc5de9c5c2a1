"""What must not pass a type checker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from datetime import timedelta
from sluicegate import Policy, StrategyPatch, TimeBased, WhileInFlight

Policy(1, WhileInFlight())
Policy(1, TimeBased(timedelta(seconds=1), burst=2))
StrategyPatch(burst=None)
Policy(1, WhileInFlight(duration=timedelta(seconds=1)))
Policy(1, TimeBased())
Policy(1, "while_in_flight")
"""


def test_strategies_are_a_closed_union(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    package = Path(__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(package / "pyproject.toml"), str(program)]
    checked = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    lines = [line.split(":")[1] for line in checked.stdout.splitlines() if ": error: " in line]
    assert lines == ["8", "9", "10"], checked.stdout + checked.stderr

"""Does what the conformance harness says: a command a line on stdin, a reply or an event a line on stdout."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import threading
from typing import Any

from commands import Commands
from sluicegate import Client
from values import UnsupportedError, error_out

_LINE_BYTES_MAX = 64 << 20


class Runner:
    def __init__(self, client: Client) -> None:
        self._commands = Commands(client, self._emit)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader(limit=_LINE_BYTES_MAX)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while line := await lines.readline():
            task = loop.create_task(self._reply(json.loads(line)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _reply(self, command: dict[str, Any]) -> None:
        number, name = command.pop("id"), command.pop("do")
        try:
            self._emit({"id": number, "ok": await self._commands.do(name, command)})
        except UnsupportedError as error:
            self._emit({"id": number, "error": {**error_out(error), "kind": "Unsupported"}})
        except Exception as error:  # noqa: BLE001 - whatever it is, the harness is told
            self._emit({"id": number, "error": error_out(error)})

    def _emit(self, line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


async def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--address", required=True)
    await Runner(Client(arguments.parse_args().address)).run()
    # At the end of the input, at once, whatever is at work.
    os._exit(0)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    threading.current_thread().name = "runner"
    asyncio.run(main())

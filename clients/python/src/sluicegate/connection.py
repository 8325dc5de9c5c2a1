"""Channels to a server: addresses, TLS, keepalive, and how a call's failure is told."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import grpc

from .errors import ClientError, from_rpc
from .v1 import budget_service_pb2_grpc, job_service_pb2_grpc, queue_service_pb2_grpc

#: The largest answer that is taken, in bytes: twice the largest that the server sends.
_MESSAGE_BYTES_MAX = 64 << 20

# BatchEnqueue always has a request id, so that repeating it is safe: a server that comes back is waited for.
_SERVICE_CONFIG = json.dumps(
    {
        "methodConfig": [
            {
                "name": [{"service": "sluicegate.v1.JobService", "method": "BatchEnqueue"}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.1s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    }
)

_OPTIONS: tuple[tuple[str, Any], ...] = (
    ("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", _MESSAGE_BYTES_MAX),
    ("grpc.service_config", _SERVICE_CONFIG),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # Workers space their own attempts; the transport's may not be rarer.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # What ends one channel ends nothing else, and a new channel is a new connection.
    ("grpc.use_local_subchannel_pool", 1),
)

Answer = TypeVar("Answer")


class Target:
    """Where a server is, and how it is reached."""

    def __init__(
        self,
        address: str,
        credentials: grpc.ChannelCredentials | None,
        metadata: Sequence[tuple[str, str]],
        timeout: timedelta | None,
        options: Sequence[tuple[str, Any]],
    ) -> None:
        if not address or "/" in address.removeprefix("dns:///"):
            message = f"the address is `{address}`: give host:port"
            raise ClientError(message, "address")
        self._address = address
        self._credentials = credentials
        self.metadata = tuple(metadata)
        self.timeout = timeout.total_seconds() if timeout is not None else None
        self._options = (*_OPTIONS, *options)

    def aio(self) -> grpc.aio.Channel:
        """A channel for asyncio, of the loop that runs."""
        if self._credentials is not None:
            return grpc.aio.secure_channel(self._address, self._credentials, options=self._options)
        return grpc.aio.insecure_channel(self._address, options=self._options)

    def sync(self) -> grpc.Channel:
        """A channel for threads."""
        if self._credentials is not None:
            return grpc.secure_channel(self._address, self._credentials, options=self._options)
        return grpc.insecure_channel(self._address, options=self._options)


class Stubs:
    """The services of one channel, of either kind."""

    def __init__(self, channel: Any) -> None:
        self.budgets: Any = budget_service_pb2_grpc.BudgetServiceStub(channel)
        self.jobs: Any = job_service_pb2_grpc.JobServiceStub(channel)
        self.queues: Any = queue_service_pb2_grpc.QueueServiceStub(channel)


class Connection:
    """One channel for asyncio, opened by its first call and again by its transport whenever it breaks."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._channel: grpc.aio.Channel | None = None
        self._stubs: Stubs | None = None
        self._closed = False

    def stubs(self) -> Stubs:
        """The services. A channel belongs to the loop that runs when it is made."""
        if self._closed:
            raise ClientError("the client is closed")
        if self._stubs is None:
            self._channel = self.target.aio()
            self._stubs = Stubs(self._channel)
        return self._stubs

    async def call(
        self,
        method: Callable[[Stubs], Callable[..., Awaitable[Answer]]],
        request: object,
        timeout: timedelta | None = None,
    ) -> Answer:
        """Makes a call, and tells its failure as this package's error."""
        limit = timeout.total_seconds() if timeout is not None else self.target.timeout
        try:
            return await method(self.stubs())(request, timeout=limit, metadata=self.target.metadata)
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error) from None
        except ValueError as error:
            # What can't be encoded, such as text that isn't Unicode.
            raise ClientError(str(error)) from error

    async def close(self) -> None:
        """Closes the channel; what is open on it fails."""
        self._closed = True
        if self._channel is not None:
            await self._channel.close()

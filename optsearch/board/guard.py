"""The guard of the board: checks every request, and adds headers to every answer.

The page and its files are open to whoever asks under the right name. All else takes the token, and
comes by POST from the page itself.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_BYTES = 1 << 16  # of a body
SECONDS_TO_SEND = 10.0  # for the head of a request, and for its body
MOST_CONNECTIONS = 64
MOST_OF_ADDRESS = 16  # connections of one address
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Refused(Exception):
    """A request that is not answered."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


class Guard:
    """Refuses what did not come from the page, and hands on the rest with its body read.

    hosts -- the names under which the page is served, each with its port.
    """

    def __init__(self, application: Application, token: str, hosts: frozenset[str]):
        self._application, self._token, self._hosts = application, token, hosts

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle a request by the ASGI protocol: check it, read its body and add HEADERS."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                present_names = {name for name, _ in headers}
                for name, value in HEADERS.items():
                    if name.encode() not in present_names:
                        headers.append((name.encode(), value.encode()))
                message["headers"] = headers
            await send(message)

        method, fields = scope["method"], _header_fields(scope)
        try:
            self._check_head(method, fields)
            body = await _read_body(fields, receive) if method == "POST" else b""
        except Refused as error:
            await _send_refusal(error, send_with_headers)
            return
        await self._application(scope, _receive_body(body), send_with_headers)

    def _check_head(self, method: str, fields: dict[str, list[str]]) -> None:
        """Raise Refused unless a request has this host and, by POST, comes from the page.

        fields -- the values of each header field, by its name in small letters.
        """
        hosts = fields.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(421, "this is not the name of the board; take the address it printed")
        if method == "GET":
            return
        if method != "POST":
            raise Refused(405, "GET and POST are accepted")
        if fields.get("origin") not in [[f"http://{host}"] for host in self._hosts]:
            raise Refused(403, "a page from elsewhere cannot ask the board")
        token = fields.get("x-token", [""])[0].encode()
        if not hmac.compare_digest(token, self._token.encode()):
            raise Refused(401, "the token is missing or wrong; take it from the address printed")
        if fields.get("content-type", [""])[0].partition(";")[0].strip() != "application/json":
            raise Refused(415, "JSON is accepted")


def _header_fields(scope: MutableMapping[str, Any]) -> dict[str, list[str]]:
    """Return all values of each field in the head of a request, by its name in small letters."""
    fields: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        fields.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return fields


async def _read_body(fields: dict[str, list[str]], receive: Receive) -> bytes:
    """Return the body of a request; Refused if it is too large, or does not come in time."""
    too_large = Refused(413, f"at most {MOST_BYTES:,} bytes are accepted")
    if "content-length" in fields and "transfer-encoding" in fields:
        raise Refused(400, "the length of the request is given in two ways")
    length = fields.get("content-length", ["0"])[0]
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise too_large
    try:
        body = await asyncio.wait_for(_read_body_parts(receive), SECONDS_TO_SEND)
    except asyncio.TimeoutError:
        raise Refused(408, "the request took too long to come") from None
    if body is None:
        raise too_large
    return body


async def _read_body_parts(receive: Receive) -> bytes | None:
    """Return the body of a request, which comes in parts; None if it is too large."""
    body, has_more = b"", True
    while has_more and len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            raise Refused(400, "the request ended early")
        body += message.get("body", b"")
        has_more = bool(message.get("more_body"))
    return body if len(body) <= MOST_BYTES else None


def _receive_body(body: bytes) -> Receive:
    """Return a function that gives the application a body that was read before."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _send_refusal(error: Refused, send: Send) -> None:
    body = json.dumps({"error": str(error)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Patient(H11Protocol):  # type: ignore[misc]  # it may not be installed
    """A connection that is closed if the head of a request does not come in time.

    It is closed at once if its address has more than `MOST_OF_ADDRESS`.
    """

    _clock: asyncio.TimerHandle | None = None  # runs while a head is awaited
    _address = ""
    _open_connections: ClassVar[Counter[str]] = Counter()  # by address

    def connection_made(self, transport: Any) -> None:
        """Accept a connection as uvicorn does, and start its clock."""
        super().connection_made(transport)
        self._address = transport.get_extra_info("peername")[0]
        self._open_connections[self._address] += 1
        if self._open_connections[self._address] > MOST_OF_ADDRESS:
            transport.close()
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        """Take data as uvicorn does; a complete head stops the clock, the next one starts it."""
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering:
            self._stop_clock()
        elif self._clock is None:
            self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Lose a connection as uvicorn does."""
        self._open_connections[self._address] -= 1
        self._stop_clock()
        super().connection_lost(exc)

    def _start_clock(self) -> None:
        self._clock = self.loop.call_later(SECONDS_TO_SEND, self.transport.close)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

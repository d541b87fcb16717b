"""A board that is served until ctrl-C."""

from __future__ import annotations

import os
import secrets
import socket
import webbrowser
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from optsearch.board.answers import Setting
from optsearch.board.guard import MOST_CONNECTIONS, Patient
from optsearch.board.server import application
from optsearch.support.errors import OptsearchError

LOCAL = "127.0.0.1"


def serve(
    first: Setting | None,
    against: tuple[str, ...],
    host: str,
    port: int,
    is_opened: bool,
    say: Callable[[str], None],
) -> None:
    """Serve a board until ctrl-C, which raises KeyboardInterrupt.

    first -- the game that the page opens with; None lets a person choose. against -- the names of
    opponents beside those that everybody has.
    host -- an address of this machine. port -- a free port is taken for 0.
    is_opened -- True to open the page in a browser.
    say -- a function that is called with the address of the page.

    Raises OptsearchError for an address or a port that cannot be used.
    """
    with _listening_socket(host, port) as listening:
        port = listening.getsockname()[1]
        names = {host, "localhost"} if host == LOCAL else {host}
        hosts = frozenset(_authority(name, port) for name in names)
        token = secrets.token_hex(16)
        address = f"http://{_authority(host, port)}/#token={token}"
        server = uvicorn.Server(
            uvicorn.Config(
                application(first, token, hosts, against),
                http=Patient,
                ws="none",
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=0,
            )
        )
        say(address)
        with TemporaryDirectory(prefix="optsearch-") as folder:
            if is_opened:
                webbrowser.open(_page_leading_to(address, Path(folder)).as_uri())
            server.run(sockets=[listening])
    if server.should_exit:  # by ctrl-C, which it does not always say
        raise KeyboardInterrupt


def _authority(host: str, port: int) -> str:
    """Return a host with its port as addresses write them, IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; OptsearchError if it cannot be used."""
    try:
        ip = ip_address(host)
    except ValueError:
        raise OptsearchError(
            f"{host!r} is not an address; write one of this machine, as in 127.0.0.1"
        ) from None
    if ip.is_unspecified:
        raise OptsearchError(f"{host} is every address of this machine; name one of them")
    family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        place_text = f"port {port} of {host}" if port else host
        raise OptsearchError(
            f"{place_text} cannot be used: {os.strerror(error.errno or 0)}; name another"
        ) from None


def _page_leading_to(address: str, folder: Path) -> Path:
    """Write a page that leads to an address into a folder; return its path.

    It keeps the token of the address out of the browser's arguments, which everybody on the machine
    sees.
    """
    page = folder / "board.html"
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">')
    return page

"""The report of a running league over HTTP on loopback; needs the extra `[web]`.

Only complete sets are read (see `referee.show.newest`), so a deal of a set that is still in play
is on no page that is served here. Nothing can be changed through it: it answers GET alone. It
answers only who calls it by a name of loopback, so that a foreign site whose name has been made to
point here cannot read it through somebody's browser.
"""

import socket
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from referee.show.newest import Watched
from referee.show.report.page import document

HOSTS = ["127.0.0.1", "localhost"]

_SHUT = "default-src 'none'"
"""How the policy of every page begins."""

_HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
}
"""Sent with everything; what else is allowed each page says itself."""


def live_page() -> str:
    """The page that keeps itself up to date: its policy lets one script run and ask this server."""
    script = files("referee.show").joinpath("serve.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    opened = f"{_SHUT}; script-src 'sha256-{digest}'; connect-src 'self'"
    page = document(
        "Report",
        '<p id="live" class="quiet" role="status">Waiting for the report.</p>\n'
        '<noscript><p>Without scripts: <a href="/report">the report as it stands</a>.</p>'
        '</noscript>\n<div id="report"><h1>Report</h1></div>\n'
        f"<script>{script}</script>\n",
    )
    return page.replace(escape(_SHUT), escape(opened), 1)


def application(watched: Watched) -> Starlette:
    """The pages of a folder: `/`, which asks for `/version` and fetches `/report` when it is new.

    `/version` is `{"version", "trouble"}`, `/report` what `referee report` writes, with its
    version as its ETag.
    """
    page = live_page()

    def root(_: Request) -> Response:
        return HTMLResponse(page, headers=_HEADERS)

    def version(_: Request) -> Response:
        newest = watched.newest()
        said = {"version": newest.version, "trouble": newest.trouble}
        return JSONResponse(said, headers=_HEADERS)

    def report(request: Request) -> Response:
        newest = watched.newest()
        headers = {**_HEADERS, "ETag": f'"{newest.version}"'}
        asked = request.headers.get("if-none-match", "")
        if headers["ETag"] in [tag.strip().removeprefix("W/") for tag in asked.split(",")]:
            return Response(status_code=304, headers=headers)
        return HTMLResponse(newest.html, headers=headers)

    routes = [
        Route(path, answer, methods=["GET"])
        for path, answer in (("/", root), ("/version", version), ("/report", report))
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False)
    return Starlette(routes=routes, middleware=[hosts])


def serve(watched: Watched, listener: socket.socket) -> None:
    """Answer on a socket that listens on loopback, until a signal comes (which is raised again)."""
    config = uvicorn.Config(
        application(watched), log_level="warning", access_log=False, lifespan="off", ws="none",
        http="h11", loop="asyncio", server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])

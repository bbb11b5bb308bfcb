"""One HTML file that needs nothing else: style, script and data inside, everything else shut out.

The page's policy lets exactly this script and this style run, each by its digest, and no request
leave the page. Data stands in it compressed and in base64, so that nothing in it can be markup.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import msgspec


def document(
    title: str, body: str, style: str, script: str, data: Iterable[tuple[str, str]]
) -> str:
    """The file's text.

    `title` is text; `body`, `style` and `script` are ours and go in as they are; `data` are
    (id, packed data), each found by the script in the element of that id. Raises ValueError when
    style or script would end its own element.
    """
    for text in (style, script):
        if "</s" in text.lower() or "<!--" in text:
            raise ValueError("a style or script must not contain the end of its element")
    policy = "; ".join((
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(style)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ))  # fmt: skip
    blocks = [
        f'<script type="text/plain" id="{escape(name)}">{text}</script>\n' for name, text in data
    ]
    return "".join((
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        '<meta name="referrer" content="no-referrer">\n',
        '<link rel="icon" href="data:,">\n',
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        body,
        *blocks,
        f"<script>{script}</script>\n</body>\n</html>\n",
    ))  # fmt: skip


def packed(value: Any) -> str:
    """A value as JSON, deflated (with zlib's frame, as browsers unpack it), in base64."""
    return b64encode(zlib.compress(msgspec.json.encode(value), 9)).decode("ascii")


def shipped(*names: str) -> str:
    """Files that stand beside this module, joined."""
    folder = files("referee.show.html")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")

"""What every page of HTML that needs no server has: colours, a policy, data that are no markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib import resources

from optsearch.support import palette


def policy(page: str) -> str:
    """The content security policy: this script and this style, and nothing from anywhere.

    page -- HTML, or a template, with one element `style` and one `script` without attributes.
    """

    def source(tag: str) -> str:
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return f"{tag}-src 'sha256-{digest}'"

    fixed = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"{fixed}; {source('script')}; {source('style')}"


def template(name: str, package: str) -> str:
    """A page of a package as it is written, with the colours of all pages in its style."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return text.replace("/* colours */", palette.css())


def json_in_html(value: object) -> str:
    """JSON that can stand in a script element: no character of it has a meaning in HTML."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text

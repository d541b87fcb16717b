"""The frame of every HTML page: its colours, its security policy, and data that is not markup.

A page is one file with its style and script in it, or a server sends both beside it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources

from optsearch.support import palette

_TEMPLATE = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{{title}}</title>
{{style}}
</head>
<body>
{{body}}<script type="application/json" id="data">{{data}}</script>
{{script}}
</body>
</html>
"""


class Page:
    """A page made of files of the package: a body, styles and scripts.

    files -- texts PACKAGE/NAME, of which one ends in .html, the others in .css and .js. Styles are
    joined in this order, and so are scripts.
    """

    def __init__(self, *files: str):
        def join_files(ending: str) -> str:
            names = [name for name in files if name.endswith(ending)]
            return "\n".join(_read_resource(*name.split("/")) for name in names)

        self._body = join_files(".html")
        self.style = palette.css() + join_files(".css")
        self.script = join_files(".js")

    def render_file(self, title: str, data: object) -> str:
        """Return the page as HTML that needs no other file. data -- what its script shows."""
        style, script = f"<style>{self.style}</style>", f"<script>{self.script}</script>"
        rule = f'<meta http-equiv="Content-Security-Policy" content="{policy(style + script)}">'
        return self._fill_template(
            title=title, style=rule + style, data=json_in_html(data), script=script
        )

    def render_linked(self, title: str, address: str) -> str:
        """Return the page as HTML that loads its style from ADDRESS.css, its script from .js."""
        return self._fill_template(
            title=title,
            style=f'<link rel="stylesheet" href="{address}.css">',
            data="null",
            script=f'<script src="{address}.js"></script>',
        )

    def _fill_template(self, *, title: str, style: str, data: str, script: str) -> str:
        """Return the HTML of the page with these pieces of HTML, and a title that is escaped."""
        texts = {
            "title": html.escape(title),
            "style": style,
            "data": data,
            "script": script,
            "body": self._body,
        }
        return re.sub(r"\{\{(\w+)\}\}", lambda match: texts[match[1]], _TEMPLATE)


def policy(page: str) -> str:
    """Return a content security policy that allows one script and one style, and nothing else.

    page -- HTML with both, as one element `style` and one `script` without attributes.
    """

    def allow_content_of(tag: str) -> str:
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return f"{tag}-src 'sha256-{digest}'"

    nothing_else = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"{nothing_else}; {allow_content_of('script')}; {allow_content_of('style')}"


def json_in_html(value: object) -> str:
    """Return a value as JSON in which <, > and & are escaped, for a script element of a page."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _read_resource(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")

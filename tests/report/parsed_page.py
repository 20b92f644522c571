"""Parse a page without a browser."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "wbr"}


class Page(HTMLParser):
    """Hold every element with its attributes, its text, and the elements around it."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.elements, self.comments, self.open = [], [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attributes": dict(attrs), "text": "", "inside": list(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open[-1]["tag"] == tag, f"</{tag}> closes <{self.open[-1]['tag']}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        self.comments.append(data)

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def inside(self, outer, *tags):
        found = [element for element in self.elements if element["tag"] in tags]
        return [e for e in found if any(around is outer for around in e["inside"])]

    def tables(self):
        return [e["attributes"]["data-table"] for e in self.elements
                if "data-table" in e["attributes"]]  # fmt: skip

    def rows(self, table, part="tbody"):
        """Return the cells of a table, row by row."""
        holder = next(e for e in self.elements if e["attributes"].get("data-table") == table)
        (body,) = self.inside(holder, part)
        return [self.inside(row, "td", "th") for row in self.inside(body, "tr")]


def parse_table(markup, name):
    """Parse one table of a page, or the first if it has no name."""
    start = markup.index("<table", markup.index(f'data-table="{name}"') if name else 0)
    table = markup[start : markup.index("</table>", start)]
    return Page(f'<div data-table="{name}">{table}</table></div>')

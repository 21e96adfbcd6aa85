"""What is encoded, and what must be read back.

To add a case: a function in ALL that gets an empty directory, makes its files there, and returns a
Case. Parts are told as they were given; `as_read_by` says what a correct parser makes of them.
"""

import dataclasses
import base64
import hashlib
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests" / "Support"))
import png_pixels  # noqa: E402
import raw_pixels  # noqa: E402


def wire_name(name):
    """A name as it stands between its quotes: line ends made one kind, three bytes escaped."""
    return wire_filename(re.sub("\r\n|\r|\n", "\r\n", name))


def wire_filename(filename):
    return filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


@dataclasses.dataclass
class Part:
    name: str
    content: bytes = None
    filename: str = None
    content_type: str = None
    size: int = None
    sha256: str = None
    pixels: raw_pixels.Buffer = None  # instead of content, which is a PNG then

    def resolve(self, encoded):
        """Takes the measure of the content that was given; for pixels, of the PNG made of them.

        Returns what is wrong with that PNG, or None.
        """
        content = self.content if self.pixels is None else encoded
        self.size = len(content)
        self.sha256 = hashlib.sha256(content).hexdigest()
        if self.pixels is None:
            return None
        try:
            return self.pixels.difference(png_pixels.decode(content))
        except png_pixels.PNGError as error:
            return str(error)

    def as_read_by(self, parser):
        return {
            "name": parser.reads_name(wire_name(self.name)),
            "filename": (
                None
                if self.filename is None
                else parser.reads_filename(wire_filename(self.filename))
            ),
            "contentType": self.content_type,
            "size": self.size,
            "sha256": self.sha256,
        }


@dataclasses.dataclass
class Case:
    name: str
    arguments: list
    parts: list
    stdin: bytes = b""
    streams: bool = False  # to standard output instead of a file
    body: bytes = None  # the whole body as it must be, where no parser is needed to tell
    features: tuple = ()  # what some parsers can't read though it is correct; see parsers.py


def binary(count, seed):
    """Bytes that look like nothing in particular, with line ends and hyphens among them."""
    generator = random.Random(seed)
    pieces = [b"\r\n", b"\n", b"\r", b"--", b"\r\n--", b"\0"]
    content = bytearray()
    while len(content) < count:
        content += generator.randbytes(generator.randrange(1, 400))
        content += generator.choice(pieces)
    return bytes(content[:count])


def buffers():
    """The pixel buffers among the fixtures."""
    raw = ROOT / "Fixtures" / "raw"
    for entry in json.loads((raw / "manifest.json").read_text()):
        yield raw_pixels.Buffer(
            entry["file"].split(".")[0],
            raw / entry["file"],
            entry["width"],
            entry["height"],
            entry["format"],
            entry["bytesPerRow"],
            entry["premultiplied"],
            entry["palette"] and raw / entry["palette"],
        )


def every_kind(directory):
    """One part of each kind, as people send them."""
    (directory / "notes.txt").write_bytes(b"line one\nline two\r\n")
    (directory / "empty.bin").write_bytes(b"")
    (directory / "data.bin").write_bytes(binary(300_000, 1))
    document = b'{"a": [1, 2, 3]}'
    (directory / "document.json").write_bytes(document)
    stream = binary(1_000_000, 2)
    arguments = ["--field", "album", "Holiday"]
    arguments += ["--field", "empty", ""]
    arguments += ["--field", "text", "two\nlines, ümläut, 写真 and an emoji \U0001f4f7"]
    arguments += ["--file", "notes", "notes.txt"]
    arguments += ["--file", "nothing", "empty.bin"]
    arguments += ["--file", "data", "data.bin", "--filename", "übung 1.dat"]
    arguments += ["--file", "json", "document.json", "--header", "X-Source: camera 3"]
    arguments += [
        "--file",
        "range",
        "data.bin",
        "--range",
        "100000:150000",
        "--type",
        "image/x-raw",
    ]
    arguments += ["--stream", "stream", "-", "--filename", "stream.bin"]
    netpbm = directory / "image.pgm"
    netpbm.write_bytes(b"P5 20 10 255\n" + binary(200, 3))
    arguments += ["--image", "scan", netpbm.name]
    binary_type = "application/octet-stream"
    data = binary(300_000, 1)
    text = "two\r\nlines, ümläut, 写真 and an emoji \U0001f4f7".encode()
    parts = [
        Part("album", b"Holiday"),
        Part("empty", b""),
        Part("text", text),
        Part("notes", b"line one\nline two\r\n", "notes.txt", "text/plain"),
        Part("nothing", b"", "empty.bin", binary_type),
        Part("data", data, "übung 1.dat", binary_type),
        Part("json", document, "document.json", "application/json"),
        Part("range", data[100_000:250_000], "data.bin", "image/x-raw"),
        Part("stream", stream, "stream.bin", binary_type),
    ]
    samples = directory / "samples"
    samples.write_bytes(binary(200, 3))
    scan = raw_pixels.Buffer("scan", samples, 20, 10, "gray8", 20, False, None)
    parts.append(Part("scan", None, "image.png", "image/png", pixels=scan))
    for buffer in buffers():
        arguments += buffer.tool_options()
        parts.append(
            Part(buffer.name, None, f"{buffer.name}.png", "image/png", pixels=buffer)
        )
    return Case("every_kind", arguments, parts, stdin=stream)


def through_a_pipe(directory):
    """The same, to a pipe and under a boundary of the caller's."""
    case = every_kind(directory)
    case.arguments += ["--boundary", "a'(b)+_,-./:=?c d"]
    return dataclasses.replace(
        case, name="through_a_pipe", streams=True, features=("odd_boundary",)
    )


def many_fields(directory):
    """A thousand fields, so that delimiters fall across every buffer's edge."""
    parts = [Part(f"field{n}", b"%d" % n * (n % 50)) for n in range(1000)]
    arguments = []
    for part in parts:
        arguments += ["--field", part.name, part.content.decode()]
    return Case("many_fields", arguments, parts)


def no_content(directory):
    """One part without content."""
    return Case("no_content", ["--field", "only", ""], [Part("only", b"")])


def named(case_name, pairs, features=()):
    """A case with a file for each name and filename, between two parts that must stay whole."""

    def make(directory):
        arguments, parts = ["--field", "before", "1"], [Part("before", b"1")]
        for number, (name, filename) in enumerate(pairs):
            content = binary(300, f"{case_name} {number}")
            (directory / f"content{number}").write_bytes(content)
            arguments += ["--file", name, f"content{number}", "--filename", filename]
            arguments += ["--type", "image/png"]
            parts.append(Part(name, content, filename, "image/png"))
        arguments += ["--field", "after", "2"]
        parts.append(Part("after", b"2"))
        return Case(case_name, arguments, parts, features=features)

    make.__name__ = case_name
    return make


def typed(case_name, types, features=()):
    """A case with a file of each type."""

    def make(directory):
        (directory / "content").write_bytes(b"x\r\ny")
        arguments, parts = [], []
        for number, content_type in enumerate(types):
            arguments += ["--file", f"f{number}", "content", "--filename", f"{number}.bin"]
            arguments += ["--type", content_type]
            parts.append(Part(f"f{number}", b"x\r\ny", f"{number}.bin", content_type))
        return Case(case_name, arguments, parts, features=features)

    make.__name__ = case_name
    return make


NAMES = [
    named(
        "names",
        [
            ("file", "photo.png"),
            ('na"me"', 'my "q".png'),
            ("it's", "o'brien.png"),
            ("100%25", "100%22 %41.png"),
            ("n\u00e4me", "\u00fcbung 1.png"),
            ("\u540d\u524d", "\u5199\u771f\U0001f4a9.png"),
            ("a b", "c  d.png"),
        ],
    ),
    named("brackets", [("user[0][name].x", "a[1].png")], ("brackets",)),
    named(
        "semicolons",
        [("a;b=c,d", "x;y=z,w.png"), ("a&amp;b", "a&lt;b.png")],
        ("semicolon",),
    ),
    named("backslashes", [("a\\b", "c\\d.png"), ("w", "C:\\dir\\x.png")], ("backslash",)),
    named("trailing_backslash", [("file", "name\\")], ("trailing_backslash",)),
    named(
        "newlines",
        [("a\nb\r\nc", "d\ne\rf.png"), ("file", "x\r\nX-Evil: 1\r\n\r\n.png")],
        ("newline",),
    ),
    named("path", [("file", "a/b/c.png")], ("path",)),
    named("tab", [("a\tb", "c\td.png")], ("tab",)),
    named("long_name", [("n" * 1000, "f" * 250 + ".png")], ("long_header",)),
    named("empty_filename", [("file", "")], ("empty_filename",)),
    named("empty_name", [("", "x.png")], ("empty_name",)),
]

TYPES = [
    typed("types", ["text/plain;charset=utf-8", "application/vnd.api+json", "video/mp4"]),
    typed("odd_type", ["image"], ("odd_type",)),
]


def repeated_names(directory):
    """The same name several times, for fields and files, in an order that counts."""
    arguments, parts = [], []
    for number in range(4):
        content = b"file %d" % number
        (directory / f"f{number}").write_bytes(content)
        arguments += ["--field", "tag[]", str(number)]
        arguments += ["--file", "file[]", f"f{number}", "--filename", f"{number}.txt"]
        parts.append(Part("tag[]", b"%d" % number))
        parts.append(Part("file[]", content, f"{number}.txt", "text/plain"))
    return Case("repeated_names", arguments, parts)


def near_delimiters(directory):
    """Contents that start and end as a delimiter does, under a boundary that is known."""
    boundary = "----a-boundary"
    pieces = [b"", b"\r\n", b"--", b"\r\n--", b"--" + boundary.encode()[:-1], b"\r\n--\r\n"]
    arguments, parts = ["--boundary", boundary], []
    for number, start in enumerate(pieces):
        for other, end in enumerate(pieces):
            name = f"n{number}{other}"
            content = start + b"middle" + end
            (directory / name).write_bytes(content)
            arguments += ["--file", name, name, "--filename", "x", "--type", "a/b"]
            parts.append(Part(name, content, "x", "a/b"))
    return Case("near_delimiters", arguments, parts)


def every_size(directory):
    """Contents around the sizes of everybody's buffers."""
    arguments, parts = [], []
    for size in [0, 1, 2, 511, 512, 1023, 4096, 8191, 8192, 8193, 65535, 65536, 65537, 262144]:
        content = binary(size, size)
        (directory / f"s{size}").write_bytes(content)
        arguments += ["--file", f"s{size}", f"s{size}", "--filename", "x", "--type", "a/b"]
        parts.append(Part(f"s{size}", content, "x", "a/b"))
    return Case("every_size", arguments, parts)


def random_form(seed):
    """A form whose parts, names and contents come from a seed."""

    def make(directory):
        generator = random.Random(seed)
        arguments, parts = [], []
        for number in range(generator.randrange(1, 12)):
            name = f"part{number}" + generator.choice(["", "-x", "_y", "Z"])
            if generator.random() < 0.4:
                text = generator.choice(["", "a", "two\r\nlines", "--", "\u00e9\u5199", "x" * 3000])
                arguments += ["--field", name, text]
                parts.append(Part(name, text.encode()))
                continue
            content = binary(generator.choice([0, 1, 100, 70_000]), f"{seed} {number}")
            (directory / name).write_bytes(content)
            filename = generator.choice(["x.png", "photo 1.jpg", 'q"q.txt', "\u5199.png"])
            arguments += ["--file", name, name, "--filename", filename, "--type", "image/x"]
            parts.append(Part(name, content, filename, "image/x"))
        return Case(f"random_form_{seed}", arguments, parts)

    make.__name__ = f"random_form_{seed}"
    return make


def browser_forms():
    """The forms of Fixtures/browsers; each body must be the browsers', byte for byte.

    Those with a NUL in a name are left out, since a command line can't hold one.
    """
    folder = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "browsers"

    def maker(form):
        def make(directory):
            arguments = ["--boundary", "BOUNDARY", "--empty"]
            for number, part in enumerate(form["parts"]):
                if "text" in part:
                    arguments += ["--field", part["name"], part["text"]]
                    continue
                (directory / str(number)).write_bytes(base64.b64decode(part["base64"]))
                arguments += ["--file", part["name"], str(number)]
                arguments += ["--filename", part["filename"], "--type", part["type"]]
            body = (folder / f"{form['id']}.body").read_bytes()
            return Case(f"browser_{form['id']}", arguments, None, body=body)

        make.__name__ = f"browser_{form['id']}"
        return make

    for form in json.loads((folder / "cases.json").read_text()):
        texts = [
            part.get(key) or "" for part in form["parts"] for key in ("name", "filename", "text")
        ]
        if not any("\0" in text for text in texts):
            yield maker(form)


ALL = [
    every_kind,
    through_a_pipe,
    many_fields,
    no_content,
    repeated_names,
    near_delimiters,
    every_size,
]
ALL += NAMES + TYPES + [random_form(seed) for seed in range(3)] + list(browser_forms())

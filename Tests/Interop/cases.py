"""What is encoded, and what must be read back.

To add a case: a function in ALL that gets an empty directory, makes its files there, and returns a
Case. Parts are told as they were given; `as_read_by` says what a correct parser makes of them.
"""
import dataclasses
import hashlib
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests" / "Support"))
import png_pixels  # noqa: E402
import raw_pixels  # noqa: E402


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
            "name": self.name,
            "filename": self.filename,
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
    skips: tuple = ()  # parsers with a known limit, which can't read this correct body


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
    arguments += ["--field", "text", "two\nlines, ümläut, 写真 and an emoji \U0001F4F7"]
    arguments += ["--file", "notes", "notes.txt"]
    arguments += ["--file", "nothing", "empty.bin"]
    arguments += ["--file", "data", "data.bin", "--filename", "übung 1.dat"]
    arguments += ["--file", "json", "document.json", "--header", "X-Source: camera 3"]
    arguments += ["--file", "range", "data.bin", "--range", "100000:150000", "--type", "image/x-raw"]
    arguments += ["--stream", "stream", "-", "--filename", "stream.bin"]
    netpbm = directory / "image.pgm"
    netpbm.write_bytes(b"P5 20 10 255\n" + binary(200, 3))
    arguments += ["--image", "scan", netpbm.name]
    binary_type = "application/octet-stream"
    data = binary(300_000, 1)
    text = "two\r\nlines, ümläut, 写真 and an emoji \U0001F4F7".encode()
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
    return dataclasses.replace(case, name="through_a_pipe", streams=True)


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


ALL = [every_kind, through_a_pipe, many_fields, no_content]

"""Buffers of raw pixels as the encoder takes them, and how they compare with a decoded PNG."""
import dataclasses
import pathlib
import sys

# Where red, green, blue and alpha are among a pixel's samples; gray counts as all three.
PLACES = {
    "gray": (0, 0, 0, None),
    "graya": (0, 0, 0, 1),
    "rgb": (0, 1, 2, None),
    "rgba": (0, 1, 2, 3),
    "bgra": (2, 1, 0, 3),
    "bgrx": (2, 1, 0, None),
    "rgbx": (0, 1, 2, None),
    "argb": (1, 2, 3, 0),
    "abgr": (3, 2, 1, 0),
    "index": (0, 0, 0, None),
}
SAMPLES = {"gray": 1, "graya": 2, "rgb": 3, "index": 1}
COLOR_TYPES = {0: "gray", 2: "rgb", 4: "graya", 6: "rgba"}


def split(form):
    """A format's name into its channels and its bits."""
    letters = form.rstrip("0123456789")
    return letters, int(form[len(letters) :])


def swapped(data):
    """16-bit samples from big-endian to this machine's order, or back."""
    if sys.byteorder == "big":
        return data
    turned = bytearray(data)
    turned[0::2], turned[1::2] = data[1::2], data[0::2]
    return bytes(turned)


def planes(row, letters, bits):
    """A row of whole-byte samples, big-endian ones of 16 bits, as red, green, blue, alpha."""
    size = bits // 8
    step = SAMPLES.get(letters, 4) * size
    count = len(row) // step
    result = []
    for place in PLACES[letters]:
        if place is None:
            result.append(b"\xff" * (count * size))
        elif size == 1:
            result.append(row[place::step])
        else:
            plane = bytearray(count * 2)
            plane[0::2], plane[1::2] = row[place * 2 :: step], row[place * 2 + 1 :: step]
            result.append(bytes(plane))
    return result


def packed(picture, y, form):
    """A row of a decoded PNG of 8 or 16 bits as raw pixels of a format."""
    letters, bits = split(form)
    found = planes(picture.rows[y], COLOR_TYPES[picture.color_type], picture.depth)
    step = SAMPLES.get(letters, 4)
    size = bits // 8
    row = bytearray(b"\xff" * (picture.width * step * size))
    for place, plane in zip(PLACES[letters], found):
        if place is not None:
            for byte in range(size):
                row[place * size + byte :: step * size] = plane[byte::size]
    return swapped(bytes(row)) if bits == 16 else bytes(row)


@dataclasses.dataclass
class Buffer:
    name: str
    path: pathlib.Path
    width: int
    height: int
    format: str
    bytes_per_row: int
    premultiplied: bool
    palette: pathlib.Path

    def demo_arguments(self):
        return [
            "pixels", self.name, str(self.path), str(self.width), str(self.height), self.format,
            str(self.bytes_per_row), "true" if self.premultiplied else "false",
            str(self.palette or "-"),
        ]

    def tool_options(self):
        options = ["--pixels", self.name, str(self.path), "--size", f"{self.width}x{self.height}"]
        options += ["--format", self.format, "--bytes-per-row", str(self.bytes_per_row)]
        options += ["--premultiplied"] if self.premultiplied else []
        options += ["--palette", str(self.palette)] if self.palette else []
        return [*options, "--filename", f"{self.name}.png"]

    def rows(self):
        """Each row from the top, without padding."""
        letters, bits = split(self.format)
        data = self.path.read_bytes()
        length = (self.width * SAMPLES.get(letters, 4) * bits + 7) // 8
        stride = abs(self.bytes_per_row)
        order = range(self.height) if self.bytes_per_row > 0 else range(self.height - 1, -1, -1)
        for y in order:
            yield data[y * stride : y * stride + length]

    def difference(self, picture):
        """Where a decoded PNG differs from these pixels, or None."""
        if (picture.width, picture.height) != (self.width, self.height):
            return f"{picture.width}x{picture.height} instead of {self.width}x{self.height}"
        letters, bits = split(self.format)
        palette = self.palette and self.palette.read_bytes()
        for y, row in enumerate(self.rows()):
            if palette or bits < 8:
                same = picture.rgba(y) == self.pixels(row, palette)
            elif picture.color_type == 3 or picture.depth != bits:
                return f"color type {picture.color_type}, {picture.depth} bits"
            else:
                expected = planes(swapped(row) if bits == 16 else row, letters, bits)
                if self.premultiplied:
                    expected = straight(expected)
                found = planes(picture.rows[y], COLOR_TYPES[picture.color_type], picture.depth)
                same = found == expected
            if not same:
                return f"row {y} has other pixels"
        return None

    def pixels(self, row, palette):
        """A row of few bits or of indexes as (red, green, blue, alpha)."""
        letters, bits = split(self.format)
        mask = (1 << bits) - 1
        values = [
            row[x * bits // 8] >> (8 - bits - x * bits % 8) & mask for x in range(self.width)
        ]
        if palette:
            return [tuple(palette[4 * v : 4 * v + 4]) for v in values]
        return [(v * 255 // mask,) * 3 + (255,) for v in values]


def straight(premultiplied):
    """Colors divided by their alpha, rounded half up; where alpha is 0 the color is lost."""
    *colors, alpha = premultiplied
    divided = [
        bytes(min(255, (c * 510 + a) // (2 * a)) if a else 0 for c, a in zip(color, alpha))
        for color in colors
    ]
    return [*divided, alpha]

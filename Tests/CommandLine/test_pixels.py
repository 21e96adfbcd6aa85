"""`multipart encode --pixels` and `--image`: the pixels that come out are those that went in."""
import os
import pathlib
import random
import subprocess
import struct
import sys
import unittest

import support
from support import ToolTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import png_pixels

LEVELS = ["libpng:0", "libpng:6", "libpng:9", "fastest", "fast", "balanced", "small"]

# The bytes of a pixel as (red, green, blue, alpha), by format; 16-bit samples are native.
UNPACK = {
    "gray8": lambda p: (p[0], p[0], p[0], 255),
    "graya8": lambda p: (p[0], p[0], p[0], p[1]),
    "rgb8": lambda p: (*p, 255),
    "rgba8": lambda p: tuple(p),
    "bgra8": lambda p: (p[2], p[1], p[0], p[3]),
    "bgrx8": lambda p: (p[2], p[1], p[0], 255),
    "rgbx8": lambda p: (p[0], p[1], p[2], 255),
    "argb8": lambda p: (p[1], p[2], p[3], p[0]),
    "abgr8": lambda p: (p[3], p[2], p[1], p[0]),
    "gray16": lambda p: (p[0], p[0], p[0], 65535),
    "graya16": lambda p: (p[0], p[0], p[0], p[1]),
    "rgb16": lambda p: (*p, 65535),
    "rgba16": lambda p: tuple(p),
}
CHANNELS = {"gray": 1, "graya": 2, "rgb": 3}


def channels(name):
    return CHANNELS.get(name.rstrip("0123456789"), 4)


class Pixels(ToolTest):
    def decode(self, *arguments):
        return png_pixels.decode(self.contents(*arguments)[0])

    def assert_pixels(self, picture, expected):
        self.assertEqual((picture.width, picture.height), (len(expected[0]), len(expected)))
        for y, row in enumerate(expected):
            self.assertEqual(picture.rgba(y), row, f"row {y}")

    def test_every_format_with_padding_and_upside_down(self):
        generator = random.Random(7)
        for name, unpack in UNPACK.items():
            for width, padding, turned in ((1, 0, False), (5, 3, False), (17, 0, True), (9, 5, True)):
                with self.subTest(format=name, width=width, padding=padding, turned=turned):
                    deep = name.endswith("16")
                    size = channels(name) * (2 if deep else 1)
                    height, stride = 6, width * size + padding
                    raw = generator.randbytes(height * stride)
                    self.write("raw", raw)
                    rows = []
                    for y in range(height):
                        row = raw[y * stride : y * stride + width * size]
                        pixels = [row[x * size : x * size + size] for x in range(width)]
                        if deep:
                            pixels = [struct.unpack(f"={size // 2}H", p) for p in pixels]
                        rows.append([unpack(p) for p in pixels])
                    options = ["--size", f"{width}x{height}", "--format", name]
                    options += ["--bytes-per-row", -stride if turned else stride]
                    options += ["--level", generator.choice(LEVELS)]
                    picture = self.decode("--pixels", "p", "raw", *options)
                    self.assert_pixels(picture, rows[::-1] if turned else rows)

    def test_palettes_and_few_bits(self):
        generator = random.Random(8)
        colors = [tuple(generator.randbytes(4)) for _ in range(256)]
        for bits in (1, 2, 4, 8):
            width, height = 11, 5
            stride = (width * bits + 7) // 8
            raw = generator.randbytes(stride * height)
            self.write("raw", raw)
            self.write("palette", bytes(sum(colors[: 1 << bits], ())))
            samples = []
            for y in range(height):
                line = "".join(f"{byte:08b}" for byte in raw[y * stride : (y + 1) * stride])
                samples.append([int(line[x * bits : (x + 1) * bits], 2) for x in range(width)])
            options = ["--size", f"{width}x{height}", "--format"]
            palette = ["--palette", "palette"]
            picture = self.decode("--pixels", "p", "raw", *options, f"index{bits}", *palette)
            self.assert_pixels(picture, [[colors[s] for s in row] for row in samples])
            picture = self.decode("--pixels", "p", "raw", *options, f"gray{bits}")
            scale = 255 // ((1 << bits) - 1)
            self.assert_pixels(picture, [[(s * scale,) * 3 + (255,) for s in r] for r in samples])

    def test_premultiplied_alpha_is_divided_out(self):
        pixels = [(0, 0, 0, 0), (255, 128, 0, 255), (64, 32, 1, 128), (1, 1, 1, 1)]
        self.write("raw", bytes(sum(pixels, ())))
        options = ["--size", "4x1", "--format", "rgba8", "--premultiplied"]
        picture = self.decode("--pixels", "p", "raw", *options)
        straight = [
            (*(min(255, (c * 255 * 2 + a) // (2 * a)) if a else 0 for c in (r, g, b)), a)
            for r, g, b, a in pixels
        ]
        self.assert_pixels(picture, [straight])

    def test_reduction_loses_nothing(self):
        pixels = [(v, v, v, 255) for v in (0, 85, 170, 255) for _ in range(64)]
        self.write("raw", bytes(sum(pixels, ())))
        picture = self.decode(
            "--pixels", "p", "raw", "--size", "16x16", "--format", "rgba8", "--reduce"
        )
        self.assert_pixels(picture, [pixels[y * 16 : y * 16 + 16] for y in range(16)])
        self.assertIn(picture.color_type, (0, 3))

    def test_threads_do_not_change_the_bytes(self):
        raw = bytes(x * y >> 7 & 255 for y in range(700) for x in range(700))
        self.write("raw", raw)
        pixels = ["--pixels", "p", "raw", "--size", "700x700", "--format", "gray8"]
        for level in LEVELS[3:]:
            with self.subTest(level=level):
                one, three = (
                    self.contents(*pixels, "--level", level, "--threads", count)[0]
                    for count in (1, 3)
                )
                self.assertEqual(one, three)
                picture = png_pixels.decode(one)
                self.assertEqual(b"".join(picture.rows), raw)

    def test_the_report_says_png(self):
        self.write("raw", bytes(12))
        options = ["--size", "2x2", "--format", "rgb8", "--header", "X-Camera: 3"]
        report, body = self.encode(
            *["--pixels", "a", "raw", *options, "--pixels", "b", "raw", *options],
            *["--filename", "two.png"],
        )
        told = [(p["filename"], p["contentType"]) for p in report["parts"]]
        self.assertEqual(told, [("image.png", "image/png"), ("two.png", "image/png")])
        self.assertEqual(body.count(b"X-Camera: 3\r\n"), 2)

    def test_pixels_that_do_not_fit(self):
        self.write("raw", bytes(12))
        pixels = ["--pixels", "shot", "raw", "--output", "out.body"]
        for options, words in (
            (["--size", "2x3", "--format", "rgb8"], ["raw", "6 bytes"]),
            (["--size", "2x1", "--format", "rgb8"], ["raw", "6 bytes more"]),
            (["--size", "2x2", "--format", "rgb8", "--bytes-per-row", "5"], ["raw", "5 bytes"]),
            (["--size", "2147483647x2147483647", "--format", "rgba16"], ["raw"]),
        ):
            with self.subTest(options=options):
                done = self.run_tool("encode", *pixels, *options)
                self.assert_fails(done, "part 1", '"shot"', *words)
        done = self.run_tool("encode", "--pixels", "p", "no", *pixels[3:], *options)
        self.assert_fails(done, '"p"', "no: ", "No such file")
        index = ["--size", "4x3", "--format", "index8", "--palette"]
        self.write("raw", bytes([0] * 7 + [9] + [0] * 4))
        self.write("palette", bytes(8))
        done = self.run_tool("encode", *pixels, *index, "palette")
        self.assert_fails(done, '"shot"', "raw", "index 9", "(3, 1)")
        self.write("palette", bytes(7))
        self.assert_fails(self.run_tool("encode", *pixels, *index, "palette"), "palette: ")
        self.assert_fails(self.run_tool("encode", *pixels, *index, "none"), "none: ")

    def test_wrong_usage(self):
        rest = ["--output", "out.body"]
        size, format = ["--size", "2x2"], ["--format", "rgb8"]
        for options, word in (
            (size, "--format"),
            (format, "--size"),
            ([*format, "--size", "2x"], "--size"),
            ([*format, "--size", "0x2"], "--size"),
            ([*format, "--size", "2147483648x2"], "--size"),
            ([*size, "--format", "rgb9"], "rgb9"),
            ([*size, "--format", "index8"], "--palette"),
            ([*size, *format, "--palette", "p"], "--palette"),
            ([*size, *format, "--premultiplied"], "--premultiplied"),
            ([*size, *format, "--level", "libpng:10"], "--level"),
            ([*size, *format, "--level", "fastish"], "--level"),
            ([*size, *format, "--bytes-per-row", "x"], "--bytes-per-row"),
            ([*size, *format, "--type", "image/gif"], "--type"),
        ):
            with self.subTest(options=options):
                done = self.run_tool("encode", "--pixels", "p", "raw", *options, *rest)
                self.assert_misused(done, word)


class Images(Pixels):
    def image(self, content, *options):
        self.write("image", content)
        return self.decode("--image", "p", "image", *options)

    def test_bits(self):
        rows = [[1, 0, 1, 1, 0, 0, 0, 1, 1, 0], [0] * 10, [1] * 10]
        expected = [[(0, 0, 0, 255) if bit else (255,) * 4 for bit in row] for row in rows]
        spaced = "\n".join(" ".join(map(str, row)) for row in rows).encode()
        packed = "".join("".join(map(str, row)) for row in rows).encode()
        raw = bytes([0b10110001, 0b10000000, 0, 0, 0b11111111, 0b11000000])
        for content in (
            b"P1\n10 3\n" + spaced,
            b"P1 # bits\n# by hand\n10 # wide\n3\n" + packed + b"\n",
            b"P4\n10 3\n" + raw,
            b"P4 10 3 " + raw,
        ):
            with self.subTest(content=content):
                picture = self.image(content)
                self.assertEqual((picture.color_type, picture.depth), (0, 1))
                self.assert_pixels(picture, expected)

    def test_gray_and_color_of_any_maximum(self):
        generator = random.Random(9)
        for kinds, depth in (((b"P2", b"P5"), 1), ((b"P3", b"P6"), 3)):
            for maximum in (1, 3, 100, 255, 256, 1000, 65535):
                full = 65535 if maximum > 255 else 255
                samples = [generator.randint(0, maximum) for _ in range(7 * 4 * depth - 2)]
                samples += [0, maximum]
                text = " ".join(map(str, samples)).encode()
                raw = b"".join(s.to_bytes(2 if maximum > 255 else 1, "big") for s in samples)
                scaled = [(s * full * 2 + maximum) // (2 * maximum) for s in samples]
                if depth == 1:
                    pixels = [(s, s, s, full) for s in scaled]
                else:
                    pixels = [(*scaled[i : i + 3], full) for i in range(0, len(scaled), 3)]
                expected = [pixels[y * 7 : y * 7 + 7] for y in range(4)]
                for kind, data in zip(kinds, (text, raw)):
                    with self.subTest(kind=kind, maximum=maximum):
                        head = kind + b"\n# made by a test\n7 4\n%d\n" % maximum
                        self.assert_pixels(self.image(head + data), expected)

    def test_arbitrary_maps(self):
        generator = random.Random(10)
        for kind, depth, maxima in (
            ("BLACKANDWHITE", 1, (1,)),
            ("BLACKANDWHITE_ALPHA", 2, (1,)),
            ("GRAYSCALE", 1, (255, 7, 65535, 4095)),
            ("GRAYSCALE_ALPHA", 2, (255, 31, 65535)),
            ("RGB", 3, (255, 65535)),
            ("RGB_ALPHA", 4, (255, 15, 65535)),
        ):
            for maximum in maxima:
                with self.subTest(kind=kind, maximum=maximum):
                    full = 65535 if maximum > 255 else 255
                    samples = [generator.randint(0, maximum) for _ in range(9 * 3 * depth)]
                    raw = b"".join(s.to_bytes(2 if maximum > 255 else 1, "big") for s in samples)
                    head = f"P7\n# test\nWIDTH 9\nHEIGHT 3\nDEPTH {depth}\nMAXVAL {maximum}\n"
                    head += f"TUPLTYPE {kind}\nENDHDR\n"
                    scaled = [(s * full * 2 + maximum) // (2 * maximum) for s in samples]
                    pixels = []
                    for i in range(0, len(scaled), depth):
                        p = scaled[i : i + depth]
                        color = p[:3] if depth > 2 else p[:1] * 3
                        pixels.append((*color, full if depth in (1, 3) else p[-1]))
                    expected = [pixels[y * 9 : y * 9 + 9] for y in range(3)]
                    self.assert_pixels(self.image(head.encode() + raw), expected)

    def test_what_follows_an_image_is_left_alone(self):
        picture = self.image(b"P5 2 1 255 ab and more")
        self.assert_pixels(picture, [[(97, 97, 97, 255), (98, 98, 98, 255)]])

    def test_malformed_images(self):
        pam = b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n"
        for content in (
            b"",
            b"P",
            b"P8 1 1 255 x",
            b"\x89PNG\r\n\x1a\n",
            b"P5",
            b"P5 1",
            b"P5 1 1",
            b"P5 1 1 255",
            b"P5 1 1 255 ",
            b"P5 0 1 255 x",
            b"P5 1 0 255 x",
            b"P5 1 1 0 x",
            b"P5 1 1 65536 xx",
            b"P5 -1 1 255 x",
            b"P5 1x 1 255 x",
            b"P5 99999999999999999999 1 255 x",
            b"P52 1 255 xx",
            b"P6 2 2 255 short",
            b"P6 2147483647 2147483647 65535 x",
            b"P5 1 1 100 \xff",
            b"P2 2 1 255 1",
            b"P2 2 1 255 1 256",
            b"P2 2 1 255 1 x",
            b"P1 3 1 0 1 2",
            b"P7\nWIDTH 1\n",
            pam.replace(b"WIDTH 1\n", b""),
            pam.replace(b"HEIGHT 1", b"HEIGHT one") + b"x",
            pam.replace(b"DEPTH 1", b"DEPTH 2") + b"xx",
            pam.replace(b"MAXVAL 255", b"MAXVAL 70000") + b"xx",
            pam.replace(b"GRAYSCALE", b"CMYK") + b"x",
            pam.replace(b"TUPLTYPE", b"TYPE") + b"x",
            pam,
        ):
            with self.subTest(content=content):
                self.write("image", content)
                done = self.run_tool("encode", "--image", "shot", "image", "--output", "out.body")
                self.assert_fails(done, 'part 1 ("shot")', "image: ")


@unittest.skipUnless(sys.platform == "linux", "relies on Linux's FIFOs and signals")
class Races(ToolTest):
    def test_a_mapped_file_that_is_shortened(self):
        """The process ends with status 1 and a word, not by a signal, whoever reads."""
        for level in (["--level", "libpng:9"], ["--level", "small", "--threads", "8"]):
            with self.subTest(level=level):
                self.shorten_while_encoding(level)

    def shorten_while_encoding(self, level):
        side = 3000
        with open(self.directory / "raw", "wb") as file:
            file.write(os.urandom(side * 100) * (side // 100))
            file.write(os.urandom(side * side * 3 - file.tell()))
        tool = subprocess.Popen(
            [
                *[support.TOOL, "encode", "--stream", "s", "-", "--pixels", "shot", "raw"],
                *["--size", f"{side}x{side}", "--format", "rgb8", *level],
                *["--output", "-", "--quiet"],
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.directory,
        )
        tool.stdin.close()
        # It has begun with the image, and can't get on until somebody reads.
        self.assertIn(b"IDAT", tool.stdout.read(200_000))
        os.truncate(self.directory / "raw", 4096)
        while tool.stdout.read(1 << 20):
            pass
        text = tool.stderr.read().decode()
        tool.stdout.close()
        tool.stderr.close()
        self.assertEqual(tool.wait(60), 1, text)
        self.assertIn('part 2 ("shot"): raw: changed while it was read', text)

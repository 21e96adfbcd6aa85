"""The encoders that are compared: name, setting, and a function from a picture to a PNG.

A function returns None where its encoder can't do such a picture without changing it. Everything
runs on one thread.
"""

import ctypes
import importlib
import importlib.metadata
import io
import os
import struct

os.environ["VIPS_CONCURRENCY"] = "1"

MISSING = []


def package(name, distribution=None):
    try:
        module = importlib.import_module(name)
    except Exception as error:
        MISSING.append(f"{distribution or name}: {error}")
        return None
    return module


def version(distribution):
    return importlib.metadata.version(distribution)


class Peer:
    def __init__(self, family, setting, encode, library):
        self.family, self.setting, self.encode, self.library = family, setting, encode, library

    @property
    def name(self):
        return f"{self.family} {self.setting}"


def pillow():
    def encode(level):
        def run(picture):
            if picture.pillow is None:
                return None
            out = io.BytesIO()
            picture.pillow.save(out, "PNG", compress_level=level)
            return out.getvalue()

        return run

    for level, words in [(6, "default"), (1, "1")]:
        yield Peer("Pillow", words, encode(level), f"Pillow {version('pillow')}")


def opencv():
    cv2 = package("cv2", "opencv-python-headless")
    if cv2 is None:
        return
    cv2.setNumThreads(1)

    def encode(parameters):
        def run(picture):
            return cv2.imencode(".png", picture.blue_first, parameters)[1]

        return run

    adaptive = [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_ALL_FILTERS]
    plain = [cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_DEFAULT]
    settings = [
        ("default", []),
        ("6", [cv2.IMWRITE_PNG_COMPRESSION, 6, *plain, *adaptive]),
    ]
    for words, parameters in settings:
        yield Peer("OpenCV", words, encode(parameters), f"OpenCV {cv2.__version__}")


def imagecodecs_png():
    codecs = package("imagecodecs")
    if codecs is None:
        return
    library = f"imagecodecs {codecs.__version__}"
    settings = [
        ("png default", lambda p: codecs.png_encode(p.samples)),
        ("png 1", lambda p: codecs.png_encode(p.samples, level=1)),
        ("png 1 rle sub", lambda p: codecs.png_encode(p.samples, level=1, strategy=3, filter=16)),
        ("apng default", lambda p: codecs.apng_encode(p.samples)),
        ("spng default", lambda p: codecs.spng_encode(p.samples)),
        ("spng 1", lambda p: codecs.spng_encode(p.samples, level=1)),
    ]
    for words, encode in settings:
        family = "libspng (imagecodecs)" if "spng" in words else "imagecodecs"
        yield Peer(family, words, encode, library)


def mtpng():
    module = package("pymtpng")
    if module is None:
        return
    fast, usual = module.CompressionLevel.Fast, module.CompressionLevel.Default
    run_length, adaptive = module.Strategy.Rle, module.Strategy.Adaptive

    def encode(level, strategy):
        def run(picture):
            out = io.BytesIO()
            call = module.encode_u16_png if picture.is_deep else module.encode_png
            call(picture.samples, out, strategy=strategy, compression_level=level)
            return out.getvalue()

        return run

    settings = [
        ("fast rle", encode(fast, run_length)),
        ("default", encode(usual, adaptive)),
    ]
    for words, run in settings:
        yield Peer("mtpng", words, run, f"pymtpng {version('pymtpng')}")


def vips():
    pyvips = package("pyvips")
    if pyvips is None:
        return

    def encode(**settings):
        def run(picture):
            image = pyvips.Image.new_from_array(picture.samples)
            if picture.is_deep:
                kind = "grey16" if picture.channels < 3 else "rgb16"
                image = image.copy(interpretation=kind)
            return image.pngsave_buffer(**settings)

        return run

    number = ".".join(str(pyvips.version(index)) for index in range(3))
    yield Peer("libvips", "default", encode(), f"libvips {number}")
    yield Peer("libvips", "1", encode(compression=1), f"libvips {number}")


def fpng():
    module = package("fpng_py")
    if module is None:
        return

    def encode(flags):
        def run(picture):
            if picture.is_deep or picture.channels not in (3, 4):
                return None
            return module.fpng_encode_image_to_memory(
                picture.samples.tobytes(), picture.width, picture.height, picture.channels, flags
            )

        return run

    flags = module.CompressionFlags
    yield Peer("fpng", "default", encode(flags(0)), f"fpng_py {version('fpng_py')}")
    yield Peer("fpng", "slower", encode(flags.FPNG_ENCODE_SLOWER), f"fpng_py {version('fpng_py')}")


PAETH, BEST = 4, 5


def assembled():
    """The strongest rivals one can assemble: fast filters before a fast deflate."""
    path = os.path.join(os.path.dirname(__file__), "..", ".build", "peers", "filters.so")
    isal = package("isal.isal_zlib", "isal")
    if isal is None or not os.path.exists(path):
        MISSING.append("row filters before ISA-L, libdeflate and zlib-ng: no isal or C compiler")
        return
    filters = ctypes.CDLL(os.path.abspath(path))
    filters.filter_rows.restype = ctypes.c_int

    def chunk(kind, data):
        checksum = isal.crc32(data, isal.crc32(kind))
        return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", checksum)))

    def encode(choice, compress):
        def run(picture):
            height, count = picture.rows.shape
            filtered = ctypes.create_string_buffer(height * (count + 1))
            filters.filter_rows(
                ctypes.c_void_p(picture.rows.ctypes.data),
                ctypes.c_size_t(height),
                ctypes.c_size_t(count),
                ctypes.c_size_t(picture.step),
                0 if picture.is_indexed else choice,
                filtered,
            )
            color = {1: 0, 2: 4, 3: 2, 4: 6}[picture.channels]
            depth = 16 if picture.is_deep else 8
            header = struct.pack(">IIBBBBB", picture.width, height, depth, color, 0, 0, 0)
            return b"".join(
                (
                    b"\x89PNG\r\n\x1a\n",
                    chunk(b"IHDR", header),
                    chunk(b"IDAT", compress(filtered)),
                    chunk(b"IEND", b""),
                )
            )

        return run

    library = f"ISA-L (isal {version('isal')})"
    yield Peer("Paeth + ISA-L", "0", encode(PAETH, lambda d: isal.compress(d, 0)), library)
    yield Peer("Paeth + ISA-L", "1", encode(PAETH, lambda d: isal.compress(d, 1)), library)
    yield Peer("filters + ISA-L", "1", encode(BEST, lambda d: isal.compress(d, 1)), library)
    yield Peer("filters + ISA-L", "3", encode(BEST, lambda d: isal.compress(d, 3)), library)
    deflate = package("deflate")
    if deflate is not None:
        library = f"libdeflate (deflate {version('deflate')})"
        for level in (1, 6):
            run = encode(BEST, lambda d, level=level: deflate.zlib_compress(d, level))
            yield Peer("filters + libdeflate", str(level), run, library)
    zlib_ng = package("zlib_ng.zlib_ng", "zlib-ng")
    if zlib_ng is not None:
        library = f"zlib-ng {zlib_ng.ZLIBNG_VERSION}"
        for level in (1, 6):
            run = encode(BEST, lambda d, level=level: zlib_ng.compress(d, level))
            yield Peer("filters + zlib-ng", str(level), run, library)


def all_of_them():
    return [
        peer
        for family in (pillow, opencv, imagecodecs_png, mtpng, vips, fpng, assembled)
        for peer in family()
    ]

"""A picture as each encoder wants it, made before any clock runs."""

import pathlib

import imagecodecs
import numpy as np
from PIL import Image


class Picture:
    """Samples [row, column] or [row, column, channel], 8 or 16 bits, red before blue.

    Indexes into a palette are taken for gray samples: most encoders know no palettes, and the work
    is the same.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        image = Image.open(path)
        self.is_bits = image.mode == "1"
        self.is_indexed = image.mode == "P"
        if self.is_indexed or self.is_bits:
            samples = np.array(image, dtype=np.uint8)  # a copy that may be written to
        else:
            samples = imagecodecs.png_decode(self.path.read_bytes())
        self.samples = np.ascontiguousarray(samples)
        self.height, self.width = samples.shape[:2]
        self.channels = 1 if samples.ndim == 2 else samples.shape[2]
        self.is_deep = samples.dtype == np.uint16
        self.blue_first = self.samples
        if self.channels >= 3:
            order = [2, 1, 0, 3][: self.channels]
            self.blue_first = np.ascontiguousarray(self.samples[:, :, order])
        self.rows = self.samples.astype(">u2") if self.is_deep else self.samples
        self.rows = np.ascontiguousarray(self.rows).view(np.uint8).reshape(self.height, -1)
        self.step = self.channels * (2 if self.is_deep else 1)
        self.pillow = None
        if not (self.is_deep and self.channels > 1):
            self.pillow = Image.fromarray(self.samples)

    def check(self, png):
        """Raises unless a PNG holds these very samples."""
        if self.is_indexed:
            import io

            image = Image.open(io.BytesIO(png))
            found = np.asarray(image if image.mode in "PL" else image.convert("L"))
        else:
            found = imagecodecs.png_decode(png)
        if found.ndim == 3 and found.shape[2] == 1:
            found = found[:, :, 0]
        if found.shape != self.samples.shape or not np.array_equal(found, self.samples):
            raise ValueError(f"{self.name}: the PNG holds another picture")

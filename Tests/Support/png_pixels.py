"""A PNG decoder of a page: Python's standard library, no libpng. For checks, so it checks a lot."""
import dataclasses
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


class PNGError(Exception):
    pass


@dataclasses.dataclass
class Picture:
    width: int
    height: int
    depth: int
    color_type: int
    palette: bytes  # red, green, blue of each color
    transparency: bytes  # the content of tRNS
    rows: list  # the bytes of each row, filters undone
    chunks: list  # the names of all chunks, in order

    def samples(self, row):
        """The samples of a row as numbers."""
        data = self.rows[row]
        count = self.width * CHANNELS[self.color_type]
        if self.depth == 16:
            return list(struct.unpack(f">{count}H", data))
        if self.depth == 8:
            return list(data)
        mask = (1 << self.depth) - 1
        per_byte = 8 // self.depth
        return [
            data[i // per_byte] >> (8 - self.depth * (i % per_byte + 1)) & mask
            for i in range(count)
        ]

    def rgba(self, row):
        """A row as (red, green, blue, alpha), 8 bits each, or 16 where the image has 16."""
        full = 65535 if self.depth == 16 else 255
        samples = self.samples(row)
        if self.color_type == 3:
            alphas = self.transparency + bytes([255]) * (256 - len(self.transparency))
            return [(*self.palette[3 * i : 3 * i + 3], alphas[i]) for i in samples]
        if self.color_type in (0, 4):
            scale = full // ((1 << self.depth) - 1)
            samples = [s * scale for s in samples]
            if self.color_type == 0:
                return [(s, s, s, full) for s in samples]
            return [(s, s, s, a) for s, a in zip(samples[::2], samples[1::2])]
        step = CHANNELS[self.color_type]
        alpha = [full] * self.width if step == 3 else samples[3::4]
        return list(zip(samples[::step], samples[1::step], samples[2::step], alpha))


def chunks(data):
    """Each chunk's name and content; every length and checksum is checked."""
    if data[:8] != SIGNATURE:
        raise PNGError("no PNG signature")
    position = 8
    while position < len(data):
        if position + 12 > len(data):
            raise PNGError("cut off within a chunk")
        length, name = struct.unpack(">I4s", data[position : position + 8])
        content = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        if zlib.crc32(name + content) != checksum:
            raise PNGError(f"wrong checksum of {name.decode()}")
        yield name.decode("ascii"), content
        position += 12 + length
        if name == b"IEND" and position != len(data):
            raise PNGError("bytes after IEND")


def unfiltered(kind, row, above, step):
    """Undoes a row's filter (PNG specification, section 9)."""
    row = bytearray(row)
    if kind == 0:
        return row
    if kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 2:
        for i, up in enumerate(above):
            row[i] = (row[i] + up) & 255
    elif kind == 3:
        for i, up in enumerate(above):
            left = row[i - step] if i >= step else 0
            row[i] = (row[i] + ((left + up) >> 1)) & 255
    elif kind == 4:
        for i in range(min(step, len(row))):
            row[i] = (row[i] + above[i]) & 255
        for i in range(step, len(row)):
            left, up, corner = row[i - step], above[i], above[i - step]
            from_left = abs(up - corner)
            from_up = abs(left - corner)
            from_corner = abs(left + up - 2 * corner)
            if from_left <= from_up and from_left <= from_corner:
                row[i] = (row[i] + left) & 255
            elif from_up <= from_corner:
                row[i] = (row[i] + up) & 255
            else:
                row[i] = (row[i] + corner) & 255
    else:
        raise PNGError(f"unknown filter {kind}")
    return row


def decode(data):
    names, palette, transparency, compressed = [], b"", b"", bytearray()
    for name, content in chunks(data):
        if name == "IHDR":
            header = struct.unpack(">IIBBBBB", content)
        elif name == "PLTE":
            palette = content
        elif name == "tRNS":
            transparency = content
        elif name == "IDAT":
            if "IDAT" in names and names[-1] != "IDAT":
                raise PNGError("IDAT chunks are not together")
            compressed += content
        names.append(name)
    if names[:1] != ["IHDR"] or names[-1] != "IEND":
        raise PNGError(f"chunks in a wrong order: {names[:1]} … {names[-1]}")
    width, height, depth, color_type, compression, filters, interlace = header
    if depth not in DEPTHS.get(color_type, ()) or (compression, filters, interlace) != (0, 0, 0):
        raise PNGError(f"header {header}")
    if color_type == 3 and (not palette or len(palette) % 3 or len(palette) > 3 << depth):
        raise PNGError(f"palette of {len(palette)} bytes")
    bits = CHANNELS[color_type] * depth
    length = (width * bits + 7) // 8
    inflate = zlib.decompressobj()
    raw = inflate.decompress(bytes(compressed)) + inflate.flush()
    if not inflate.eof or inflate.unused_data:
        raise PNGError("the compressed data do not end where they should")
    if len(raw) != height * (length + 1):
        raise PNGError(f"{len(raw)} bytes instead of {height * (length + 1)}")
    rows, above = [], bytes(length)
    for start in range(0, len(raw), length + 1):
        above = unfiltered(raw[start], raw[start + 1 : start + 1 + length], above, max(1, bits // 8))
        rows.append(bytes(above))
    return Picture(width, height, depth, color_type, palette, transparency, rows, names)

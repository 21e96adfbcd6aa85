"""The demo's orchestra: demo.py DIRECTORY-OF-PROGRAMS. Called by Scripts/demo; needs only Python.

Makes the inputs, has the body written by the library, by the command-line tool, and in the usual
way; reads it with Python's own MIME parser and a PNG decoder that shares no code with the encoder.
Uploads it to PHP's own server, whose parser says what arrived.
"""
import contextlib
import email.parser
import email.policy
import hashlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests" / "Support"))
import png_pixels  # noqa: E402
import raw_pixels  # noqa: E402

PICTURES = {
    "photograph": ("photograph_rgb8", "bgra8"),
    "screenshot": ("window_rgba8", "rgba8"),
    "scan": ("page_gray8", "gray8"),
    "radiograph": ("radiograph_gray16", "gray16"),
    "render": ("render_rgb16", "rgb16"),
}
ROUNDS = 3
BOUNDARY = "demo-0123456789abcdefghijklmnop"


class Failure(Exception):
    pass


def pixel_parts(directory):
    """Every buffer of pixels: name, path, width, height, format, bytes a row, …"""
    parts = []
    for entry in json.loads((ROOT / "Fixtures" / "raw" / "manifest.json").read_text()):
        path = ROOT / "Fixtures" / "raw" / entry["file"]
        palette = entry["palette"] and path.parent / entry["palette"]
        name = entry["file"].replace(".", "-")
        parts.append(raw_pixels.Buffer(
            name, path, entry["width"], entry["height"], entry["format"], entry["bytesPerRow"],
            entry["premultiplied"], palette,
        ))
    for name, (picture, form) in PICTURES.items():
        decoded = png_pixels.decode((ROOT / "Fixtures/pictures" / f"{picture}.png").read_bytes())
        path = directory / f"{name}.{form}"
        rows = [raw_pixels.packed(decoded, y, form) for y in range(decoded.height)]
        path.write_bytes(b"".join(rows))
        parts.append(raw_pixels.Buffer(
            name, path, decoded.width, decoded.height, form, len(rows[0]), False, None
        ))
    return parts


def run(command, directory):
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory)
    if done.returncode != 0:
        raise Failure(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def measure(programs, way, output, arguments, directory):
    """One run: seconds by part, in all, and the peak of memory in KiB."""
    times, figures = {}, {}
    command = [str(programs / "multipart-demo"), way, str(output), BOUNDARY, *arguments]
    for line in run(command, directory).splitlines():
        kind, *rest = line.split()
        if kind == "part":
            times[rest[0]] = float(rest[1])
        else:
            figures[kind] = float(rest[0])
    return times, figures


def least(runs):
    """The shortest time of each part over several runs, and of the whole."""
    times = {name: min(run[0][name] for run in runs) for name in runs[0][0]}
    total = min(run[1]["total"] for run in runs)
    peak = max(run[1]["peak"] for run in runs)
    return times, total, peak


def read(body):
    """The parts that Python's MIME parser finds: name to (filename, type, content)."""
    head = f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n".encode()
    parser = email.parser.BytesParser(policy=email.policy.HTTP)
    message = parser.parsebytes(head + body.read_bytes())
    if message.defects or message.preamble or message.epilogue:
        raise Failure(f"the body has defects: {message.defects}")
    found = {}
    for part in message.get_payload():
        name = part["content-disposition"].params["name"]
        if name in found or part.defects:
            raise Failure(f"{name}: {part.defects or 'twice'}")
        found[name] = (part.get_filename(), part.get_content_type(), part.get_payload(decode=True))
    return found


def check(body, pixels, files, fields):
    """Raises unless the body holds what went in; returns each part's size."""
    found = read(body)
    expected = [*fields, *files, *(buffer.name for buffer in pixels)]
    if list(found) != expected:
        raise Failure(f"parts {list(found)} instead of {expected}")
    for name, value in fields.items():
        if found[name] != (None, "text/plain", value.encode()):
            raise Failure(f"{name}: {found[name]}")
    for name, path in files.items():
        if found[name][0] != path.name or found[name][2] != path.read_bytes():
            raise Failure(f"{name}: not the file that went in")
    for buffer in pixels:
        filename, content_type, png = found[buffer.name]
        if (filename, content_type) != (f"{buffer.name}.png", "image/png"):
            raise Failure(f"{buffer.name}: {filename}, {content_type}")
        difference = buffer.difference(png_pixels.decode(png))
        if difference:
            raise Failure(f"{buffer.name}: {difference}")
    return {name: len(content) for name, (_, _, content) in found.items()}


@contextlib.contextmanager
def receiver(directory):
    """PHP's own server with a script that parses the form; gives the script's address."""
    folder = directory / "receiver"
    folder.mkdir()
    shutil.copy(ROOT / "Tests/MultipartUploadTests/Servers/receive.php", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    limits = {"upload_max_filesize": "1G", "post_max_size": "1G", "max_file_uploads": "100"}
    options = [word for item in limits.items() for word in ("-d", "=".join(item))]
    with open(directory / "receiver.log", "w") as log:
        server = subprocess.Popen(
            ["php", *options, "-S", f"127.0.0.1:{port}", "-t", folder], stdout=log, stderr=log
        )
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if server.poll() is not None:
                break
            time.sleep(0.05)
        else:
            raise Failure("PHP does not answer")
        if server.poll() is not None:
            raise Failure("PHP has ended: " + (directory / "receiver.log").read_text().strip())
        yield f"http://127.0.0.1:{port}/receive.php"
    finally:
        server.kill()
        server.wait()


def upload(programs, body, directory):
    """Uploads a body and compares what the receiver found with what Python finds in it."""
    queue = directory / "queue"
    with receiver(directory) as url:
        said = json.loads(run(
            [str(programs / "multipart"), "upload", url, "--body", str(body), "--content-type",
             f"multipart/form-data; boundary={BOUNDARY}", "--queue", str(queue), "--quiet"],
            directory,
        ))
    for name, (filename, content_type, content) in read(body).items():
        if filename is None:
            if said["fields"].get(name) != content.decode():
                raise Failure(f"{name}: the receiver found {said['fields'].get(name)}")
            continue
        expected = {
            "filename": filename, "type": content_type, "error": 0, "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        if said["files"].get(name) != expected:
            raise Failure(f"{name}: the receiver found {said['files'].get(name)}")
    left = [path.name for path in queue.rglob("*") if path.name in ("body", "record.json")]
    if left:
        raise Failure(f"left in the queue: {left}")
    return len(said["fields"]) + len(said["files"])


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:])]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="multipart-demo-") as scratch:
        directory = pathlib.Path(scratch)
        pixels = pixel_parts(directory)
        fields = {"album": "Holiday in Liguria", "tags": "sea, cliffs, 写真"}
        files = {"original": ROOT / "Fixtures" / "pictures" / "photograph_rgb8.png"}
        arguments, options = [], []
        for name, value in fields.items():
            arguments += ["field", name, value]
            options += ["--field", name, value]
        for name, path in files.items():
            arguments += ["file", name, str(path)]
            options += ["--file", name, str(path)]
        for buffer in pixels:
            arguments += buffer.demo_arguments()
            options += buffer.tool_options()

        runs = {"spooled": [], "usual": []}
        for _ in range(ROUNDS):
            for way in runs:  # turn by turn, so that both have the same weather
                output = directory / f"{way}.body"
                output.unlink(missing_ok=True)  # some file systems wait when one is replaced
                runs[way].append(measure(programs, way, output, arguments, directory))
        tool = [str(programs / "multipart"), "encode", *options, "--boundary", BOUNDARY]
        report = json.loads(run([*tool, "--output", "tool.body"], directory))

        spooled, usual = directory / "spooled.body", directory / "usual.body"
        sizes = check(spooled, pixels, files, fields)
        usual_sizes = check(usual, pixels, files, fields)
        if (directory / "tool.body").read_bytes() != spooled.read_bytes():
            raise Failure("the tool's body is not the library's")
        told = {part["name"]: part["length"] for part in report["parts"]}
        if told != sizes or report["contentLength"] != spooled.stat().st_size:
            raise Failure("the tool's report is not what the body holds")
        left = [path.name for path in directory.iterdir() if "spool" in path.suffix]
        if left:
            raise Failure(f"left behind: {left}")

        times, total, peak = least(runs["spooled"])
        usual_times, usual_total, usual_peak = least(runs["usual"])
        kinds = {b.name: f"{b.width}x{b.height} {b.format}" for b in pixels}
        rows = [("part", "what", "bytes in", "bytes out", "ms", "usual bytes", "usual ms", "faster")]
        bytes_in = {b.name: b.path.stat().st_size for b in pixels}
        bytes_in |= {name: path.stat().st_size for name, path in files.items()}
        for name, size in sizes.items():
            rows.append((
                name,
                kinds.get(name, "file" if name in files else "field"),
                f"{bytes_in.get(name, size):,}",
                f"{size:,}",
                f"{times[name] * 1000:.2f}",
                f"{usual_sizes[name]:,}",
                f"{usual_times[name] * 1000:.2f}",
                f"{usual_times[name] / times[name]:.0f}x" if name in kinds else "",
            ))
        rows.append((
            "body", "", f"{sum(bytes_in.values()):,}", f"{spooled.stat().st_size:,}",
            f"{total * 1000:.1f}", f"{usual.stat().st_size:,}", f"{usual_total * 1000:.1f}",
            f"{usual_total / total:.0f}x",
        ))
        table(rows)
        print(f"\npeak memory, mapped pixels included: {peak / 1024:.1f} MiB;"
              f" the usual way: {usual_peak / 1024:.1f} MiB")
        print(f"shortest of {ROUNDS} runs in turn; the usual way is libpng's defaults into memory,"
              " whole, then appended")
        print(f"\nread back by Python's email parser: {len(sizes)} parts; every one of the"
              f" {len(pixels)} images has the pixels that went in")
        print("the command-line tool wrote the same bytes")
        count = upload(programs, spooled, directory)
        if count != len(sizes):
            raise Failure(f"the receiver found {count} parts")
        print(f"uploaded to PHP, whose parser found the same {count} parts, by their SHA-256")


if __name__ == "__main__":
    try:
        main()
    except (Failure, png_pixels.PNGError) as failure:
        sys.exit(f"demo failed: {failure}")

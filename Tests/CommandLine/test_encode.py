"""`multipart encode`: what it writes and what it says."""
import json
import os
import pathlib
import select
import signal
import subprocess
import unittest

import support
from support import ToolTest


class Bodies(ToolTest):
    def test_parts_come_in_order_with_their_own_options(self):
        self.write("data.bin", bytes(range(256)))
        report, body = self.encode(
            *["--field", "one", "1", "--file", "two", "data.bin", "--type", "image/x-raw"],
            *["--filename", "zwei.raw", "--range", "16:32", "--header", "X-Depth: 8"],
            *["--field", "three", "--looks-like-an-option", "--boundary", "edge"],
        )
        expected = (
            b'--edge\r\nContent-Disposition: form-data; name="one"\r\n\r\n1\r\n'
            b'--edge\r\nContent-Disposition: form-data; name="two"; filename="zwei.raw"\r\n'
            b"Content-Type: image/x-raw\r\nX-Depth: 8\r\n\r\n" + bytes(range(16, 48)) + b"\r\n"
            b'--edge\r\nContent-Disposition: form-data; name="three"\r\n\r\n'
            b"--looks-like-an-option\r\n--edge--\r\n"
        )
        self.assertEqual(body, expected)
        self.assertEqual(report["path"], "out.body")
        self.assertEqual(report["contentType"], "multipart/form-data; boundary=edge")
        self.assertEqual(report["boundary"], "edge")
        names = [(p["name"], p["filename"], p["contentType"]) for p in report["parts"]]
        self.assertEqual(
            names,
            [("one", None, None), ("two", "zwei.raw", "image/x-raw"), ("three", None, None)],
        )

    def test_offsets_lead_to_the_contents(self):
        stream = os.urandom(700_000)
        self.write("empty", b"")
        found = self.contents(
            *["--field", "a", "b\nc", "--file", "e", "empty", "--stream", "s", "-"], stdin=stream
        )
        self.assertEqual(found, [b"b\r\nc", b"", stream])

    def test_values_may_follow_an_equals_sign(self):
        report, _ = self.encode("--field", "a", "b", "--boundary=a=b")
        self.assertEqual(report["boundary"], "a=b")
        # An accent behind the sign makes one character of both.
        self.write("file", b"x")
        report, body = self.encode(
            "--file", "f", "file", "--filename=\u0301x", "--header", "X-Accent:\u0301b"
        )
        self.assertEqual(report["parts"][0]["filename"], "\u0301x")
        self.assertIn("\r\nX-Accent: \u0301b\r\n".encode(), body)

    def test_spaces_around_a_header_are_not_its_value(self):
        lines = ["X-One: \t a  b\t ", "X-Two:c", "X-Three: \t"]
        _, body = self.encode("--field", "a", "b", *(w for l in lines for w in ("--header", l)))
        self.assertIn(b"\r\nX-One: a  b\r\nX-Two: c\r\nX-Three: \r\n\r\nb", body)

    def test_other_subtypes(self):
        for subtype, start in (("mixed", "multipart/mixed; "), ("related", "multipart/related; ")):
            report, body = self.encode("--field", "a", "b", "--subtype", subtype)
            self.assertTrue(report["contentType"].startswith(start))
            self.assertNotIn(b"form-data", body)

    def test_reports_any_name_as_json(self):
        name = 'quote " backslash \\ newline \n tab \t bell \x07 ümläut \U0001F4F7'
        report, _ = self.encode("--field", name, "x")
        self.assertEqual(report["parts"][0]["name"], name)

    def test_a_body_to_standard_output_is_reported_on_standard_error(self):
        done = self.run_tool("encode", "--field", "a", "b", "--boundary", "x", "--output", "-")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            done.stdout, b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'
        )
        report = json.loads(done.stderr)
        self.assertEqual(report["contentLength"], len(done.stdout))
        self.assertIsNone(report["path"])

    def test_quiet_says_nothing(self):
        done = self.run_tool("encode", "--field", "a", "b", "--output", "o", "--quiet", "--fsync")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertTrue((self.directory / "o").exists())

    def test_only_the_owner_can_read_a_body(self):
        self.encode("--field", "a", "b")
        self.assertEqual((self.directory / "out.body").stat().st_mode & 0o777, 0o600)

    def test_an_older_body_is_replaced_only_by_a_complete_one(self):
        self.write("out.body", b"old")
        done = self.run_tool("encode", "--file", "f", "missing", "--output", "out.body")
        self.assertEqual(done.returncode, 1)
        self.assertEqual((self.directory / "out.body").read_bytes(), b"old")
        self.encode("--field", "a", "b")

    def test_help_and_version(self):
        for arguments in (["--help"], ["encode", "--help"], ["encode", "--field", "a", "b", "-h"]):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout.startswith(b"usage: multipart "))
        done = self.run_tool("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"^multipart \d+\.\d+\.\d+.*\n$")


class Failures(ToolTest):
    def test_a_missing_file(self):
        done = self.run_tool("encode", "--file", "photo", "no such", "--output", "out.body")
        self.assert_fails(done, '"photo"', "no such", "No such file")

    def test_a_directory_or_fifo_as_a_file(self):
        os.mkfifo(self.directory / "fifo")
        for path in (".", "fifo"):
            done = self.run_tool("encode", "--file", "f", path, "--output", "out.body")
            self.assert_fails(done, '"f"', path, "not a regular file")

    def test_a_range_past_the_end(self):
        self.write("data", b"12345")
        done = self.run_tool(
            "encode", "--file", "f", "data", "--range", "3:3", "--output", "out.body"
        )
        self.assert_fails(done, '"f"', "data", "5")

    def test_a_boundary_that_occurs(self):
        self.write("data", b"x" * 300_000 + b"\r\n--edge\r\n")
        done = self.run_tool(
            "encode", "--file", "f", "data", "--boundary", "edge", "--output", "out.body"
        )
        self.assert_fails(done, '"f"', "boundary")

    def test_a_header_that_would_add_one(self):
        done = self.run_tool(
            "encode", "--field", "f", "v", "--type", "a\r\nX: y", "--output", "out.body"
        )
        self.assert_fails(done, '"f"')

    def test_no_directory_for_the_output(self):
        done = self.run_tool("encode", "--field", "a", "b", "--output", "none/out.body")
        self.assert_fails(done, "none/out.body")

    def test_an_output_that_is_no_file(self):
        os.mkfifo(self.directory / "special")
        done = self.run_tool("encode", "--field", "a", "b", "--output", "special")
        self.assertEqual(done.returncode, 1)
        self.assertTrue((self.directory / "special").is_fifo())

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "/dev/full is of Linux")
    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [support.TOOL, "encode", "--field", "a", "b", "--output", "-"],
                stdout=full,
                stderr=subprocess.PIPE,
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)

    def test_a_report_that_nobody_gets(self):
        """Without standard output, and with one that is full."""
        command = '"$0" encode --field a b --output out.body'
        for redirection in (">&-", ">/dev/full"):
            with self.subTest(redirection=redirection):
                done = subprocess.run(
                    ["/bin/sh", "-c", f"exec {command} {redirection}", support.TOOL],
                    stderr=subprocess.PIPE,
                    cwd=self.directory,
                )
                self.assert_fails(done, "report: ")

    def test_a_reader_that_goes_away(self):
        command = [support.TOOL, "encode", "--stream", "s", "-", "--output", "-", "--quiet"]
        tool = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        tool.stdout.close()
        try:
            tool.stdin.write(bytes(2_000_000))
            tool.stdin.close()
        except BrokenPipeError:
            pass
        text = tool.stderr.read()
        tool.stderr.close()
        self.assertEqual(tool.wait(60), 1)
        self.assertIn(b"Broken pipe", text)


class Misuse(ToolTest):
    def test_wrong_usage(self):
        for arguments, word in (
            ([], "command"),
            (["transmogrify"], "transmogrify"),
            (["encode", "--output", "out.body"], "part"),
            (["encode", "--field", "a", "b"], "--output"),
            (["encode", "--field", "a"], "--field"),
            (["encode", "--field", "a", "b", "--output"], "--output"),
            (["encode", "stray", "--output", "out.body"], "stray"),
            (["encode", "--unknown", "--output", "out.body"], "--unknown"),
            (["encode", "--type", "x", "--field", "a", "b", "--output", "out.body"], "--type"),
            (["encode", "--field", "a", "b", "--range", "0:1", "--output", "out.body"], "--range"),
            (["encode", "--file", "a", "b", "--range", "0-1", "--output", "out.body"], "--range"),
            (["encode", "--file", "a", "b", "--range", "-1:2", "--output", "out.body"], "--range"),
            (["encode", "--field", "a", "b", "--header", "x", "--output", "out.body"], "--header"),
            (["encode", "--stream", "a", "b", "--output", "out.body"], "--stream"),
            (["encode", *["--stream", "a", "-"] * 2, "--output", "out.body"], "--stream"),
            (["encode", "--field", "a", "b", "--subtype", "x", "--output", "out.body"], "--subtype"),
            (["encode", "--field", "a", "b", "--boundary", "", "--output", "out.body"], "boundary"),
            (["encode", "--field", "a", "b", "--boundary", "ü", "--output", "out.body"], "boundary"),
            (["encode", "--field", "a", "b", "--threads", "0", "--output", "out.body"], "--threads"),
            (["encode", "--quiet=yes", "--field", "a", "b", "--output", "out.body"], "--quiet"),
        ):
            with self.subTest(arguments=arguments):
                self.assert_misused(self.run_tool(*arguments), word)

    def test_arguments_that_are_not_utf8(self):
        command = [support.TOOL, "encode", "--field", "a", b"\xff", "--output", "out.body"]
        done = subprocess.run(command, capture_output=True, cwd=self.directory)
        self.assert_misused(done, "UTF-8")


class Signals(ToolTest):
    def test_nothing_is_left_behind(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                tool = subprocess.Popen(
                    [support.TOOL, "encode", "--stream", "s", "-", "--output", "out.body"],
                    stdin=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=self.directory,
                )
                # More than a pipe holds, so that writing has begun when this returns.
                tool.stdin.write(bytes(1_000_000))
                tool.stdin.flush()
                tool.send_signal(number)
                text = tool.stderr.read()
                self.assertEqual(tool.wait(30), -number)
                self.assertEqual(text, b"multipart: interrupted\n")
                tool.stdin.close()
                tool.stderr.close()
                self.assert_no_spool()


class Terminal(ToolTest):
    def test_long_work_is_shown(self):
        import pty

        terminal, line = pty.openpty()
        tool = subprocess.Popen(
            [support.TOOL, "encode", "--stream", "s", "-", "--output", "out.body"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=line,
            cwd=self.directory,
        )
        os.close(line)
        shown = b""
        for _ in range(600):
            tool.stdin.write(bytes(100_000))
            tool.stdin.flush()
            while select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536)
            if b"part 1 of 1" in shown:
                break
        else:
            self.fail(shown)
        tool.stdin.close()
        self.assertEqual(tool.wait(60), 0)
        end = os.read(terminal, 65536)
        os.close(terminal)
        self.assertTrue(end.endswith(b"\r\x1b[K"), "the line goes when the work is done")


@unittest.skipUnless(pathlib.Path("/proc/self/status").exists(), "needs Linux's /proc")
class Memory(ToolTest):
    """Peak memory does not depend on the size of anything."""

    def peak(self, *arguments):
        """The tool's peak of resident memory in KiB, once these parts have been written."""
        tail = ["--stream", "last", "-", "--output", "out.body", "--quiet"]
        tool = subprocess.Popen(
            [support.TOOL, "encode", *arguments, *tail], stdin=subprocess.PIPE, cwd=self.directory
        )
        # More than a pipe holds: when this returns, the parts before it are through.
        tool.stdin.write(bytes(1_000_000))
        tool.stdin.flush()
        with open(f"/proc/{tool.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        tool.stdin.close()
        self.assertEqual(tool.wait(60), 0)
        return peak

    def test_a_large_file(self):
        with open(self.directory / "large", "wb") as file:
            file.truncate(256 << 20)
        few = self.peak("--field", "a", "b")
        for boundary in ([], ["--boundary", "edge"]):
            self.assertLess(self.peak("--file", "f", "large", *boundary) - few, 4096)

    def test_large_images(self):
        """Beyond the mapped file, some strips."""
        few = self.peak("--field", "a", "b")
        with open(self.directory / "raw", "wb") as file:
            file.write(os.urandom(9_000_000) * 4)
        options = ["--size", "3000x3000", "--format", "rgba8", "--threads", "2"]
        image = (self.directory / "raw").stat().st_size // 1024
        self.assertLess(self.peak("--pixels", "p", "raw", *options) - few - image, 16 * 1024)
        # Its rows have to be read one by one, as their bytes are in another order.
        with open(self.directory / "deep", "wb") as file:
            file.write(b"P5 4500 2000 65535\n" + os.urandom(4_500_000) * 4)
        self.assertLess(self.peak("--image", "p", "deep") - few - 18_000, 12 * 1024)

    def test_wide_images(self):
        """As many threads compress long rows as there is memory for."""
        few = self.peak("--field", "a", "b")
        with open(self.directory / "wide", "wb") as file:
            file.write(os.urandom(400_000 * 3) * 30)
        options = ["--size", "400000x30", "--format", "rgb8", "--threads", "16"]
        image = (self.directory / "wide").stat().st_size // 1024
        used = self.peak("--pixels", "p", "wide", *options) - few - image
        self.assertLess(used, (16 + 2 * 16) * 1024)

    def test_many_fields(self):
        arguments = []
        for number in range(20_000):
            arguments += ["--field", f"n{number}", "v"]
        few = self.peak("--field", "a", "b")
        self.assertLess(self.peak(*arguments) - few, 8192)

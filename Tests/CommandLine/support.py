"""What the tests of the tool share."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = None


class ToolTest(unittest.TestCase):
    """A test in an empty directory of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="multipart-test-")
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)

    def write(self, name, content):
        (self.directory / name).write_bytes(content)
        return name

    def run_tool(self, *arguments, stdin=b"", **options):
        return subprocess.run(
            [TOOL, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=self.directory,
            timeout=120,
            **options,
        )

    def encode(self, *arguments, stdin=b""):
        """Encodes into out.body, which must succeed; returns the report and the body's bytes."""
        done = self.run_tool("encode", *arguments, "--output", "out.body", stdin=stdin)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\n"), 1)
        report = json.loads(done.stdout)
        body = (self.directory / "out.body").read_bytes()
        self.assertEqual(report["contentLength"], len(body))
        return report, body

    def contents(self, *arguments, stdin=b""):
        """The contents of the parts that are encoded."""
        report, body = self.encode(*arguments, stdin=stdin)
        return [body[p["offset"] : p["offset"] + p["length"]] for p in report["parts"]]

    def assert_fails(self, done, *words):
        """It ended with status 1, one line that holds these words, and nothing left behind."""
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 1, text)
        self.assertTrue(text.startswith("multipart: ") and text.count("\n") == 1, text)
        for word in words:
            self.assertIn(word, text)
        self.assert_no_spool()
        self.assertFalse((self.directory / "out.body").exists())

    def assert_misused(self, done, *words):
        """It ended with status 64, a line that holds these words, and a hint."""
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 64, text)
        lines = text.splitlines()
        self.assertEqual(len(lines), 2, text)
        self.assertTrue(lines[0].startswith("multipart: "), text)
        self.assertTrue(lines[1].startswith("Try 'multipart"), text)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertFalse((self.directory / "out.body").exists())

    def assert_no_spool(self):
        left = [name for name in os.listdir(self.directory) if "spool" in name or "out" in name]
        self.assertEqual(left, [])

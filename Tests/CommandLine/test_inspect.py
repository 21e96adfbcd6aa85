"""`multipart inspect`, and the options of `encode` that are about servers."""

import json

from support import ToolTest

GOOD = (
    b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n'
    b'--b\r\nContent-Disposition: form-data; name="f"; filename="x.png"\r\n'
    b"Content-Type: image/png\r\n\r\n\x01\x02\r\n--b--\r\n"
)


class Inspect(ToolTest):
    def inspect(self, body, *arguments, status=0):
        self.write("some.body", body)
        done = self.run_tool("inspect", "some.body", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_good_body_as_text(self):
        done = self.inspect(GOOD, "--content-type", "multipart/form-data; boundary=b")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(lines[0], f'boundary "b", 2 parts, {len(GOOD)} bytes')
        self.assertEqual(lines[1], 'part 1: name "a", 3 bytes at 49')
        self.assertIn('part 2: name "f", filename "x.png", image/png, 2 bytes at ', lines[2])
        self.assertEqual(done.stderr, b"")

    def test_good_body_as_json(self):
        answer = json.loads(self.inspect(GOOD, "--json").stdout)
        self.assertEqual((answer["boundary"], answer["wellFormed"]), ("b", True))
        self.assertEqual(answer["length"], len(GOOD))
        self.assertEqual([part["name"] for part in answer["parts"]], ["a", "f"])
        for part, content in zip(answer["parts"], [b"one", b"\x01\x02"]):
            self.assertEqual(GOOD[part["offset"] :][: part["length"]], content)
        self.assertEqual(answer["parts"][1]["headers"][1], ["Content-Type", "image/png"])
        self.assertEqual(answer["faults"], [])

    def test_sample_that_forgets_line_breaks(self):
        # nst/STHTTPRequest#42
        body = GOOD.replace(b"one\r\n--b", b"one--b") + b"\r\n"
        done = self.inspect(body, "--json", status=1)
        answer = json.loads(done.stdout)
        self.assertEqual(len(answer["parts"]), 2)
        offsets = [fault["offset"] for fault in answer["faults"]]
        self.assertEqual(offsets, [body.index(b"one--b") + 3, len(body) - 2])
        self.assertIn("no CRLF before the delimiter", answer["faults"][0]["message"])
        self.assertEqual(done.stderr.decode(), "multipart: some.body: 2 faults\n")

    def test_standard_input(self):
        done = self.run_tool("inspect", "-", "--json", stdin=GOOD)
        self.assertEqual((done.returncode, json.loads(done.stdout)["wellFormed"]), (0, True))

    def test_what_encode_writes(self):
        report, body = self.encode("--field", "a", "1", "--field", "b", "two\nlines")
        done = self.run_tool(
            "inspect", "out.body", "--json", "--content-type", report["contentType"]
        )
        answer = json.loads(done.stdout)
        self.assertEqual(answer["boundary"], report["boundary"])
        for found, told in zip(answer["parts"], report["parts"]):
            for key in ("name", "filename", "contentType", "offset", "length"):
                self.assertEqual(found[key], told[key])

    def test_what_is_no_body(self):
        self.assertIn("no delimiter", self.inspect(b"hello", status=1).stdout.decode())
        done = self.run_tool("inspect", "missing.body")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.body: open: No such file", done.stderr.decode())

    def test_misuse(self):
        self.assert_misused(self.run_tool("inspect"), "no body")
        self.assert_misused(self.run_tool("inspect", "--json"), "before '--json'")
        self.assert_misused(self.run_tool("inspect", "x", "--nonsense"), "--nonsense")
        self.assertIn(b"usage: multipart inspect", self.run_tool("inspect", "--help").stdout)


class Servers(ToolTest):
    def test_filenames(self):
        self.write("content", b"x")
        arguments = ["--file", "f", "content", "--filename", "d/e\u0301\\"]
        for change, expected in [
            ([], "d/e\u0301\\"),
            (["last-component"], "e\u0301"),
            (["no-trailing-backslash"], "d/e\u0301"),
            (["composed"], "d/\u00e9\\"),
            (["last-component", "composed"], "\u00e9"),
        ]:
            options = [word for name in change for word in ("--filenames", name)]
            body = self.encode(*arguments, *options)[1]
            self.assertIn(f'filename="{expected}"\r\n'.encode(), body)
        (self.directory / "out.body").unlink()
        self.assert_misused(self.run_tool("encode", *arguments, "--filenames", "x"), "--filenames")

    def test_limits(self):
        fields = [word for n in range(51) for word in ("--field", f"n{n}", "")]
        self.encode(*fields)
        self.encode(*fields, "--limits", "rack")
        (self.directory / "out.body").unlink()
        done = self.run_tool("encode", *fields, "--limits", "Tomcat", "--output", "out.body")
        self.assert_fails(done, "part 51", "Tomcat takes at most 50 parts")
        self.assert_misused(self.run_tool("encode", *fields, "--limits", "x"), "--limits", "Tomcat")

    def test_empty_form(self):
        report, body = self.encode("--empty", "--boundary", "b")
        self.assertEqual((body, report["parts"]), (b"--b--\r\n", []))
        (self.directory / "out.body").unlink()
        self.assert_misused(self.run_tool("encode", "--output", "out.body"), "no part")

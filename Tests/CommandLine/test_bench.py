"""encode-bench runs every case, and what it prints can be read by a program."""
import json
import pathlib
import shlex
import shutil
import subprocess
import unittest

import support

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "pictures"
SMALL = ["icon_rgba8.png", "noise_rgb8.png"]


def fields(line):
    """A line's kind and its named values."""
    words = shlex.split(line)
    named = dict(word.split("=", 1) for word in words if "=" in word)
    return "case" if "=" in words[0] else words[0], named


@unittest.skipUnless(
    support.TOOL and pathlib.Path(support.TOOL).with_name("encode-bench").exists(),
    "encode-bench has not been built",
)
class BenchTest(support.ToolTest):
    def bench(self, *arguments, **options):
        bench = pathlib.Path(support.TOOL).with_name("encode-bench")
        return subprocess.run(
            [bench, *map(str, arguments)], capture_output=True, timeout=300, text=True, **options
        )

    def lines(self, *arguments):
        done = self.bench("--runs", 1, "--directory", self.directory, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [fields(line) for line in done.stdout.splitlines()]

    def corpus(self):
        """A folder of small pictures, one of them in another format."""
        folder = self.directory / "pictures"
        folder.mkdir()
        for name in SMALL:
            shutil.copy(FIXTURES / name, folder)
        (folder / "ramp.pgm").write_bytes(b"P5 100 20 255\n" + bytes(range(200)) * 10)
        (folder / "notes.txt").write_text("no picture")
        return folder

    def test_every_case(self):
        report = self.directory / "report.json"
        lines = self.lines(
            "--corpus", self.corpus(), "--size", "1M", "--fields", 50, "--threads", "1,2",
            "--into", "memory,spool", "--json", report,
        )  # fmt: skip
        self.assertEqual(lines[0][0], "machine")
        cases = [named for kind, named in lines if kind == "case"]
        self.assertEqual(
            {named["case"] for named in cases}, {"fields", "file", "bytes", "png", "body"}
        )
        self.assertEqual({n["image"] for n in cases if n["case"] == "png"},
                         {"icon_rgba8", "noise_rgb8", "ramp"})  # fmt: skip
        for named in cases:
            for name in ("cpu_median_s", "cpu_min_s", "wall_median_s", "wall_min_s", "speed"):
                self.assertGreater(float(named[name]), 0, named)
            self.assertGreater(int(named["out"]), 0, named)
            self.assertGreaterEqual(int(named["peak_kib"]), 0, named)
        means = [named for kind, named in lines if kind == "mean"]
        levels = {"usual", "fastest", "fast", "balanced", "small", "libpng:6"}
        self.assertEqual({named["level"] for named in means}, levels)
        written = json.loads(report.read_text())
        self.assertEqual(len(written["cases"]), len(cases))
        self.assertEqual(len(written["means"]), len(means))

    def test_the_library_writes_what_libpng_writes(self):
        """The baseline goes to libpng directly; the level of the same name must be its equal."""
        lines = self.lines("png", "--no-counts", "--levels", "libpng:6")
        sizes = [float(n["size"]) for kind, n in lines if kind == "case"]
        self.assertEqual(len(sizes), 2 * len(list(FIXTURES.glob("*.png"))))
        for size in sizes:
            self.assertAlmostEqual(size, 1, delta=0.002)

    def test_kernels_write_the_same_bytes(self):
        lines = self.lines(
            "png", "--no-counts", "--corpus", self.corpus(), "--levels", "fast", "--kernel", "scalar"
        )
        best = self.lines("png", "--no-counts", "--corpus", self.directory / "pictures",
                          "--levels", "fast")  # fmt: skip
        sizes = [[n["out"] for kind, n in some if kind == "case"] for some in (lines, best)]
        self.assertEqual(sizes[0], sizes[1])

    @unittest.skipUnless(shutil.which("curl"), "there is no curl to compare with")
    def test_uploads(self):
        lines = self.lines("upload", "--size", "3M")
        cases = {named["transport"]: named for kind, named in lines if kind == "case"}
        self.assertLessEqual({"usual", "urlsession"}, set(cases))
        for named in cases.values():
            self.assertEqual(int(named["out"]), 3 << 20)
            self.assertGreater(int(named["peak_kib"]), 1000)
            self.assertGreater(float(named["cpu_min_s"]), 0)

    def test_orders(self):
        orders = f"load {FIXTURES / SMALL[0]}\nusual\nencode fast 1\nsave fast {self.directory}/x.png\n"
        done = self.bench("serve", input=orders)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        kinds, named = zip(*[fields(line) for line in done.stdout.splitlines()])
        self.assertEqual(kinds, ("picture", "sample", "sample", "saved"))
        self.assertEqual(int(named[3]["out"]), (self.directory / "x.png").stat().st_size)

    def test_wrong_usage(self):
        for wrong in (["--levels", "best"], ["--runs", "0"], ["holiday"], ["--kernel"]):
            done = self.bench(*wrong)
            self.assertEqual(done.returncode, 64, wrong)
            self.assertIn("Try 'encode-bench --help'", done.stderr)

    def test_no_pictures(self):
        done = self.bench("png", "--corpus", self.directory)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("holds no pictures", done.stderr)

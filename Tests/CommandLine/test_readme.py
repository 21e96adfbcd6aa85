"""The README's command line does what the README says."""
import json
import pathlib
import re
import shlex
import subprocess

import support
from support import ToolTest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Readme(ToolTest):
    def test_the_examples_run(self):
        text = (ROOT / "README.md").read_text()
        examples = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertTrue(examples)
        for example in examples:
            words = shlex.split(example.replace("\\\n", " "))
            self.assertEqual(words.pop(0), "multipart")
            place = words.index("--output") + 1
            words[place] = str(self.directory / words[place])
            done = subprocess.run([support.TOOL, *words], cwd=ROOT, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            report = json.loads(done.stdout)
            self.assertEqual(pathlib.Path(report["path"]).stat().st_size, report["contentLength"])

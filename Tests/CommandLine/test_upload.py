"""`multipart upload` when somebody presses Ctrl-C, once and twice."""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
import unittest

import support

SIZE = 8_000_000


class Server(http.server.ThreadingHTTPServer):
    """Takes uploads, slowly until it is told otherwise, and keeps what arrived whole."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.is_slow = True
        self.has_begun = threading.Event()
        self.taken = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        digest = hashlib.sha256()
        left = int(self.headers["Content-Length"])
        while left > 0:
            block = self.rfile.read(min(left, 100_000))
            if not block:
                return
            digest.update(block)
            left -= len(block)
            self.server.has_begun.set()
            if self.server.is_slow:
                time.sleep(0.1)
        self.server.taken.append((self.headers["Idempotency-Key"], digest.hexdigest()))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


@unittest.skipUnless(
    support.TOOL and pathlib.Path(support.TOOL).with_name("multipart-upload").exists(),
    "multipart-upload has not been built",
)
class InterruptionTest(support.ToolTest):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.content = bytes(range(256)) * (SIZE // 256)
        self.write("content", self.content)

    def start(self, *arguments):
        command = [support.TOOL, "upload", self.server.url, "--queue", "queue", *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, cwd=self.directory, stdin=pipe, stdout=pipe, stderr=pipe
        )
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        """What it printed, once it has died of the signal, as a shell's 130 says."""
        output, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, output), (-signal.SIGINT, b""), errors)
        return errors.decode()

    def wait_for_delivery(self, process, number):
        """Until the process has a signal: another one before that would be the same."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        if not status.exists():
            time.sleep(0.05)
            return
        while True:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
            if not int(fields["ShdPnd"], 16) >> (number - 1) & 1:
                return

    def assert_resumes(self):
        """The upload is in the queue, and another command delivers it once and whole."""
        queued = self.run_tool("queue", "--queue", "queue")
        item = json.loads(queued.stdout)
        body = self.directory / "queue" / item["id"] / "body"
        digest = hashlib.sha256(body.read_bytes()).hexdigest()
        self.assertIn(self.content, body.read_bytes())
        self.server.is_slow = False
        resumed = self.run_tool("resume", "--queue", "queue", "--authorize-command", ":")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(json.loads(resumed.stdout)["outcome"], "delivered")
        self.assertEqual(self.server.taken, [(item["id"], digest)])
        self.assertEqual(self.run_tool("queue", "--queue", "queue").stdout, b"")

    def test_without_standard_output(self):
        """The answer gets into no file of the queue."""
        self.server.is_slow = False
        done = subprocess.run(
            [
                *["/bin/sh", "-c", 'exec "$@" >&-', "sh", support.TOOL, "upload"],
                *[self.server.url, "--queue", "queue", "--field", "a", "b"],
            ],
            stderr=subprocess.PIPE,
            cwd=self.directory,
        )
        self.assertEqual(len(self.server.taken), 1, done.stderr)
        self.assertEqual((self.directory / "queue" / ".lock").read_bytes(), b"")

    def test_once_while_it_sends(self):
        process = self.start("--file", "f", "content")
        self.assertTrue(self.server.has_begun.wait(30))
        process.send_signal(signal.SIGINT)
        errors = self.end(process)
        self.assertIn("'multipart resume' goes on with it", errors)
        self.assertTrue(errors.endswith("multipart: interrupted\n"), errors)
        self.assert_resumes()

    def test_twice_ends_it_at_once(self):
        # It waits a second for a command that won't end; the second signal cuts that short.
        process = self.start(
            "--file", "f", "content",
            "--authorize-command", "exec 2>&-; trap '' TERM; touch asked; sleep 5",
        )  # fmt: skip
        while process.poll() is None and not (self.directory / "asked").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.wait_for_delivery(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.end(process), "")  # without a word about resuming
        self.assert_resumes()

    def test_while_it_writes_the_body(self):
        process = self.start("--stream", "f", "-")
        process.stdin.write(self.content)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)  # though nothing ends its input
        self.assertNotIn("resume", self.end(process))
        self.assertEqual([n.name for n in (self.directory / "queue").iterdir()], [".lock"])
        self.assertEqual(self.server.taken, [])

    def run_upload(self, command, launcher=(), **options):
        """An upload that is tried once, with a command for credentials."""
        self.server.is_slow = False
        return subprocess.run(
            [
                *launcher, support.TOOL, "upload", self.server.url, "--queue", "queue",
                *["--field", "a", "b", "--retries", "0", "--authorize-command", command],
                *["--deadline", "1"],
            ],
            capture_output=True, cwd=self.directory, timeout=30, **options,
        )  # fmt: skip

    def test_with_a_parent_that_ignored_its_children(self):
        """What a command printed before it failed was taken for credentials."""
        done = self.run_upload(
            "echo 'X-One: 1'; exit 3",
            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"the command ended with 3", done.stderr)
        self.assertEqual(self.server.taken, [])

    @unittest.skipUnless(
        hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("setpriv"),
        "needs root, and setpriv",
    )
    def test_with_a_command_that_takes_no_signals(self):
        """Another user's, as sudo makes it: neither deadline nor Ctrl-C ended the upload."""
        done = self.run_upload(
            "echo $$ >child; exec setpriv --reuid 65534 --clear-groups sleep 60 2>&-",
            launcher=["setpriv", "--bounding-set", "-kill", "--inh-caps", "-kill"],
        )
        os.kill(int((self.directory / "child").read_text()), signal.SIGKILL)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"no answer within 1", done.stderr)

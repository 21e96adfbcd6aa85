"""The parsers that read the bodies, and how each is run.

To add one: a program that takes BODY and CONTENT-TYPE and prints
{"parts": [{"name", "filename", "contentType", "size", "sha256"}]}, and an entry in ALL.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "parsers"


class Parser:
    """A parser in a process of its own.

    keeps_order: fields and files come in the order of the body.
    tells_field_types: a field's Content-Type is told, not a default of the parser's own.
    """

    keeps_order = True
    tells_field_types = True

    def __init__(self, name, language, command, needs, hint, **traits):
        self.name = name
        self.language = language
        self.command = command
        self.needs = needs
        self.hint = hint
        for trait, value in traits.items():
            if not hasattr(Parser, trait):
                raise TypeError(f"{name}: no trait is called {trait}")
            setattr(self, trait, value)

    def missing(self):
        """What has to be installed first, or None."""
        program = self.command[0]
        if shutil.which(program) is None:
            return f"{program} is not installed ({self.hint})"
        if self.needs and subprocess.run(self.needs, capture_output=True).returncode != 0:
            return self.hint
        return None

    def environment(self, body, content_type):
        return dict(os.environ)

    def arguments(self, body, content_type):
        return [*self.command, str(body), content_type]

    def read(self, body, content_type):
        with open(body, "rb") as stdin:
            done = subprocess.run(
                self.arguments(body, content_type),
                stdin=stdin,
                capture_output=True,
                env=self.environment(body, content_type),
                timeout=300,
            )
        output = done.stdout.decode("utf-8", "replace")
        start = output.find("{")
        try:
            return json.loads(output[start:])
        except ValueError:
            text = (output + done.stderr.decode("utf-8", "replace")).strip()
            return {"error": f"no answer, status {done.returncode}: {text[-400:]}"}


class CGIParser(Parser):
    """A parser that gets the body as a CGI request (RFC 3875)."""

    def arguments(self, body, content_type):
        return self.command

    def environment(self, body, content_type):
        return dict(
            os.environ,
            GATEWAY_INTERFACE="CGI/1.1",
            REDIRECT_STATUS="200",
            REQUEST_METHOD="POST",
            SCRIPT_FILENAME=str(HERE / "php.php"),
            CONTENT_TYPE=content_type,
            CONTENT_LENGTH=str(os.path.getsize(body)),
        )


def python(name, statement, package, **traits):
    script = str(HERE / "python.py")
    return Parser(
        f"python-{name}",
        "Python",
        [sys.executable, script, name],
        [sys.executable, "-c", statement],
        f"pip install {package}",
        **traits,
    )


PHP_SETTINGS = {
    "post_max_size": "0",
    "upload_max_filesize": "1000G",
    "max_file_uploads": "100000",
    "max_input_vars": "1000000",
    "memory_limit": "-1",
    "display_errors": "stderr",
}

ALL = [
    python("email", "import email", "nothing"),
    python("werkzeug", "import werkzeug", "werkzeug", keeps_order=False, tells_field_types=False),
    python("multipart", "from multipart import MultipartParser", "multipart", tells_field_types=False),
    Parser(
        "node-formdata",
        "JavaScript",
        ["node", str(HERE / "node.mjs")],
        ["node", "-e", "new Response('').formData"],
        "Node 18 or later; apt-get install nodejs",
        tells_field_types=False,
    ),
    CGIParser(
        "php",
        "PHP",
        ["php-cgi", "-q", *(f"-d{key}={value}" for key, value in PHP_SETTINGS.items())],
        None,
        "apt-get install php-cgi",
        keeps_order=False,
        tells_field_types=False,
    ),
]

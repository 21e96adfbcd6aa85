"""The parsers that read the bodies, and how each is run.

To add one: a program that takes BODY and CONTENT-TYPE and prints
{"parts": [{"name", "filename", "contentType", "size", "sha256"}]}, and an entry in ALL.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent / "parsers"


class Parser:
    """A parser in a process of its own.

    keeps_order: fields and files come in the order of the body.
    keeps_names_in_order: parts of different names are not shuffled.
    tells_field_types: a field's Content-Type is told, not a default of the parser's own.
    tells_type_parameters: what comes after a type's semicolon is told.
    cannot: features of correct bodies that it can't read, each with what it does instead.
    reads_name, reads_filename: what it makes of a name as it stands in the body.
    """

    keeps_order = True
    keeps_names_in_order = True
    tells_field_types = True
    tells_type_parameters = True
    cannot = {}

    @staticmethod
    def reads_name(name):
        return name

    @staticmethod
    def reads_filename(filename):
        return filename

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
        environment = self.environment(os.devnull, "")
        if (
            self.needs
            and subprocess.run(self.needs, capture_output=True, env=environment).returncode
        ):
            return self.hint
        return None

    def environment(self, body, content_type):
        return dict(os.environ, NODE_PATH="/usr/share/nodejs:/usr/lib/nodejs")

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


def packaged(kind, language, command, script, name, needs, hint, **traits):
    """A parser of a package; the language's one script for all of them takes its name."""
    return Parser(
        f"{kind}-{name}",
        language,
        [command, str(HERE / script), name],
        [command, *needs],
        hint,
        **traits,
    )


def python(name, statement, package, **traits):
    return packaged(
        "python", "Python", sys.executable, "python.py",
        name, ["-c", statement], f"pip install {package}", **traits,
    )  # fmt: skip


def node(name, **traits):
    return packaged(
        "node", "JavaScript", "node", "node-packages.cjs",
        name, ["-e", f"require('{name}')"], f"apt-get install node-{name}",
        tells_field_types=False, **traits,
    )  # fmt: skip


def perl(name, module, package, **traits):
    return packaged(
        "perl", "Perl", "perl", "perl.pl",
        name, [f"-M{module}", "-MJSON::PP", "-e", "1"], f"apt-get install {package}",
        keeps_order=False, tells_field_types=False, **traits,
    )  # fmt: skip


def ruby(name, library, package, **traits):
    return packaged(
        "ruby", "Ruby", "ruby", "ruby.rb",
        name, [f"-r{library}", "-e", "1"], f"apt-get install {package}", **traits,
    )  # fmt: skip


PHP_SETTINGS = {
    "post_max_size": "0",
    "upload_max_filesize": "1000G",
    "max_file_uploads": "100000",
    "max_input_vars": "1000000",
    "memory_limit": "-1",
    "display_errors": "stderr",
}


def unescaped(text):
    """As parsers have it that undo what browsers do."""
    return text.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


def unquoted(text):
    return text.replace("%22", '"')


def base_name(filename):
    return re.split(r"[\\/]", filename)[-1]


def php_name(name):
    """Variables of PHP have no spaces and dots, and brackets make arrays."""
    head, bracket, rest = name.lstrip(" ").partition("[")
    return re.sub("[ .]", "_", head) + bracket + rest


def rack_filename(filename):
    return base_name(urllib.parse.unquote(filename))


def django_filename(filename):
    return html.unescape(base_name(filename))


ESCAPE = "takes a backslash for an escape"
FOLDER = "takes what is before a backslash for a folder"
FIELD = "takes a file without a filename for a field, or drops it"
SYNTAX = "takes a semicolon inside quotes for the end of the parameter"
NAMELESS = "wants a name"
BOUNDARY = "can't read a boundary in quotes, or one with a space in it"

ALL = [
    python(
        "email",
        "import email",
        "nothing",
        cannot={"backslash": ESCAPE, "trailing_backslash": ESCAPE},
    ),
    python(
        "werkzeug",
        "import werkzeug",
        "werkzeug",
        keeps_order=False,
        tells_field_types=False,
        reads_name=unquoted,
        reads_filename=unquoted,
        cannot={"backslash": ESCAPE, "trailing_backslash": ESCAPE},
    ),
    python(
        "multipart",
        "from multipart import MultipartParser",
        "multipart",
        tells_field_types=False,
        tells_type_parameters=False,
        reads_name=unescaped,
        reads_filename=unescaped,
        cannot={"backslash": FOLDER},
    ),
    Parser(
        "node-formdata",
        "JavaScript",
        ["node", str(HERE / "node.mjs")],
        ["node", "-e", "new Response('').formData"],
        "Node 18 or later; apt-get install nodejs",
        tells_field_types=False,
        reads_name=unescaped,
        reads_filename=unescaped,
    ),
    CGIParser(
        "php",
        "PHP",
        ["php-cgi", "-q", *(f"-d{key}={value}" for key, value in PHP_SETTINGS.items())],
        None,
        "apt-get install php-cgi",
        keeps_order=False,
        tells_field_types=False,
        tells_type_parameters=False,
        reads_name=php_name,
        cannot={
            "brackets": "makes arrays of them",
            "trailing_backslash": ESCAPE,
            "empty_filename": FIELD,
            "empty_name": NAMELESS,
        },
    ),
    python(
        "python_multipart",
        "import python_multipart",
        "python-multipart",
        tells_field_types=False,
        cannot={"backslash": FOLDER, "empty_name": NAMELESS},
    ),
    python(
        "django",
        "import django",
        "django",
        keeps_order=False,
        tells_field_types=False,
        reads_filename=django_filename,
        cannot={
            "backslash": FOLDER,
            "trailing_backslash": FOLDER,
            "tab": "drops control characters",
            "empty_name": NAMELESS,
            "long_header": "takes 1024 bytes of header",
            "empty_filename": FIELD,
            "newline": "drops control characters",
        },
    ),
    python(
        "aiohttp",
        "import aiohttp",
        "aiohttp",
        cannot={"backslash": ESCAPE, "trailing_backslash": ESCAPE},
    ),
    python(
        "bottle",
        "import bottle",
        "bottle",
        keeps_order=False,
        tells_field_types=False,
        cannot={"backslash": FOLDER, "trailing_backslash": ESCAPE, "empty_filename": FIELD},
    ),
    python(
        "tornado",
        "import tornado",
        "tornado",
        keeps_order=False,
        tells_field_types=False,
        cannot={"empty_filename": FIELD, "empty_name": NAMELESS},
    ),
    node(
        "busboy",
        tells_type_parameters=False,
        cannot={
            "trailing_backslash": ESCAPE,
            "empty_filename": FIELD,
            "empty_name": NAMELESS,
            "odd_type": "makes text/plain of it",
        },
    ),
    node(
        "formidable",
        keeps_order=False,
        keeps_names_in_order=False,
        reads_filename=unquoted,
        cannot={"backslash": FOLDER, "trailing_backslash": FOLDER},
    ),
    node(
        "multiparty",
        reads_filename=unquoted,
        cannot={"backslash": FOLDER, "trailing_backslash": FOLDER, "empty_name": NAMELESS},
    ),
    perl(
        "cgi",
        "CGI",
        "libcgi-pm-perl",
        cannot={"empty_filename": FIELD, "odd_boundary": BOUNDARY},
    ),
    perl(
        "http-body",
        "HTTP::Body",
        "libhttp-body-perl",
        keeps_names_in_order=False,
        cannot={"semicolon": SYNTAX, "empty_filename": FIELD},
    ),
    perl(
        "http-entity-parser",
        "HTTP::Entity::Parser",
        "libhttp-entity-parser-perl",
        cannot={"empty_filename": FIELD, "odd_boundary": BOUNDARY},
    ),
    perl("mojo", "Mojo::Message::Request", "libmojolicious-perl", cannot={"semicolon": SYNTAX}),
    ruby(
        "rack",
        "rack",
        "ruby-rack",
        reads_filename=rack_filename,
        cannot={
            "odd_boundary": BOUNDARY,
            "backslash": ESCAPE,
            "trailing_backslash": ESCAPE,
            "semicolon": SYNTAX,
            "empty_filename": FIELD,
            "empty_name": NAMELESS,
        },
    ),
    ruby(
        "multipart-parser",
        "multipart_parser/reader",
        "ruby-multipart-parser",
        cannot={
            "backslash": FOLDER,
            "trailing_backslash": FOLDER,
            "semicolon": SYNTAX,
            "empty_filename": FIELD,
            "empty_name": NAMELESS,
        },
    ),
]

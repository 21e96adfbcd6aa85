#!/usr/bin/env python3
"""Encodes bodies with the `multipart` tool and has independent parsers read them.

    run.py [--tool PATH] [--case NAME]… [--parser NAME]… [--require] [--list]

Each case (cases.py) is a command line and the parts that must come out of it. Each parser
(parsers.py) gets the body and its content type and answers with the parts it found; both sides are
compared. A parser whose interpreter or module is missing is skipped, with a word on how to install
it; with --require that is a failure.

Exit status: 0 when every parser read every body as it was meant, 1 when one did not.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cases
import parsers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def encode(tool, case, directory):
    """Runs the tool; returns the body's path and its report."""
    body = directory / "out.body"
    target = "-" if case.streams else str(body)
    command = [str(tool), "encode", *case.arguments, "--output", target]
    done = subprocess.run(command, input=case.stdin, capture_output=True, cwd=directory)
    if done.returncode != 0:
        raise SystemExit(f"{case.name}: the tool failed: {done.stderr.decode(errors='replace')}")
    if case.streams:
        body.write_bytes(done.stdout)
    return body, json.loads(done.stderr if case.streams else done.stdout)


def report_defects(case, body, report):
    """What is wrong with the tool's own report about a body: it must say what the file holds."""
    content = body.read_bytes()
    defects = []
    if report["contentLength"] != len(content):
        defects.append(f"contentLength {report['contentLength']}, file has {len(content)}")
    if len(report["parts"]) != len(case.parts):
        defects.append(f"{len(report['parts'])} parts instead of {len(case.parts)}")
    for told, meant in zip(report["parts"], case.parts):
        piece = content[told["offset"] : told["offset"] + told["length"]]
        defect = meant.resolve(piece)
        if defect:
            defects.append(f"{meant.name}: {defect}")
        if hashlib.sha256(piece).hexdigest() != meant.sha256:
            defects.append(f"{meant.name}: other content than was given, at {told['offset']}")
        for key, value in (("name", meant.name), ("filename", meant.filename)):
            if told[key] != value:
                defects.append(f"{meant.name}: {key} is {told[key]!r} instead of {value!r}")
    return defects


def comparable(part, parser):
    """A part as far as this parser can tell."""
    content_type = part["contentType"]
    if part.get("filename") is None and not parser.tells_field_types:
        content_type = None
    if content_type is not None:
        content_type = re.sub('[ "]', "", content_type)
        if not parser.tells_type_parameters:
            content_type = content_type.split(";")[0]
    filename = part.get("filename")
    return (part.get("name"), filename, content_type, part["size"], part["sha256"])


def grouped(parts, parser):
    """The parts in their order, or fields and files each in theirs where a parser parts them."""
    if not parser.keeps_names_in_order:
        parts = sorted(parts, key=lambda part: part.get("name") or "")
    if parser.keeps_order:
        return [parts]
    return [
        [part for part in parts if part.get("filename") is None],
        [part for part in parts if part.get("filename") is not None],
    ]


def parser_defects(case, parser, body, content_type):
    found = parser.read(body, content_type)
    if "error" in found:
        return [found["error"]]
    meant = [part.as_read_by(parser) for part in case.parts]
    defects = []
    for expected, got in zip(grouped(meant, parser), grouped(found["parts"], parser)):
        expected = [comparable(part, parser) for part in expected]
        got = [comparable(part, parser) for part in got]
        if len(expected) != len(got):
            defects.append(f"{len(got)} parts instead of {len(expected)}: {got}")
            continue
        for one, other in zip(expected, got):
            if one != other:
                defects.append(f"read {other} instead of {one}")
    return defects


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tool", default=ROOT / ".build" / "debug" / "multipart")
    arguments.add_argument("--case", action="append", help="only this case")
    arguments.add_argument("--parser", action="append", help="only this parser")
    arguments.add_argument("--require", action="store_true", help="a skipped parser is a failure")
    arguments.add_argument("--list", action="store_true", help="say which parsers there are")
    options = arguments.parse_args()
    available = []
    failures = 0
    for parser in parsers.ALL:
        if options.parser and parser.name not in options.parser:
            continue
        missing = parser.missing()
        if missing:
            print(f"skip {parser.name}: {missing}")
            failures += options.require
        else:
            available.append(parser)
    if options.list:
        for parser in available:
            print(f"{parser.name} ({parser.language})")
        return 0
    if not available:
        print("no parser is installed")
        return 1
    tool = pathlib.Path(options.tool).resolve()
    checked = 0
    skipped = 0
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    with tempfile.TemporaryDirectory(prefix="interop-") as scratch, pool:
        for number, make in enumerate(cases.ALL):
            if options.case and make.__name__ not in options.case:
                continue
            directory = pathlib.Path(scratch) / str(number)
            directory.mkdir()
            case = make(directory)
            body, report = encode(tool, case, directory)
            if case.body is not None:
                checked += 1
                if body.read_bytes() != case.body:
                    failures += 1
                    print(f"FAIL {case.name}: other bytes than the browsers'")
                continue
            verdicts = {"tool": report_defects(case, body, report)}
            answers = {}
            for parser in available:
                limits = [name for name in case.features if name in parser.cannot]
                if limits:
                    skipped += 1
                    continue
                answers[parser.name] = pool.submit(
                    parser_defects, case, parser, body, report["contentType"]
                )
            for name, answer in answers.items():
                verdicts[name] = answer.result()
            for name, defects in verdicts.items():
                checked += 1
                for defect in defects:
                    failures += 1
                    print(f"FAIL {case.name} / {name}: {defect}")
    languages = len({parser.language for parser in available})
    print(
        f"{checked} readings by {len(available)} parsers in {languages} languages,"
        f" {failures} failures, {skipped} skipped for known limits of a parser"
    )
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())

"""Reads BODY with one of Python's parsers: python.py NAME BODY CONTENT-TYPE."""
import email.message
import email.parser
import email.policy
import hashlib
import json
import sys


def part(name, filename, content_type, content):
    return {
        "name": name,
        "filename": filename,
        "contentType": content_type,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def read_email(body, content_type):
    head = b"MIME-Version: 1.0\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    if message.defects or message.preamble or message.epilogue:
        raise ValueError(f"{message.defects} {message.preamble!r} {message.epilogue!r}")
    parts = []
    for piece in message.get_payload():
        if piece.defects:
            raise ValueError(f"{piece.defects}")
        disposition = piece["content-disposition"]
        parts.append(
            part(
                disposition.params.get("name"),
                disposition.params.get("filename"),
                piece.get("content-type") and str(piece["content-type"]),
                piece.get_payload(decode=True),
            )
        )
    return parts


def read_werkzeug(body, content_type):
    import io

    from werkzeug.formparser import MultiPartParser
    from werkzeug.http import parse_options_header

    boundary = parse_options_header(content_type)[1]["boundary"].encode()
    parser = MultiPartParser(max_form_memory_size=None, max_form_parts=None)
    fields, files = parser.parse(io.BytesIO(body), boundary, len(body))
    parts = [part(n, None, None, v.encode()) for n, v in fields.items(multi=True)]
    for name, file in files.items(multi=True):
        parts.append(part(name, file.filename, file.content_type, file.read()))
    return parts


def read_multipart(body, content_type):
    import io

    from multipart import MultipartParser, parse_options_header

    boundary = parse_options_header(content_type)[1]["boundary"]
    parser = MultipartParser(
        io.BytesIO(body),
        boundary,
        content_length=len(body),
        memory_limit=2**40,
        disk_limit=2**40,
        part_limit=10**6,
        strict=True,
    )
    return [part(p.name, p.filename, p.content_type, p.raw) for p in parser]


READERS = {name[5:]: reader for name, reader in globals().items() if name.startswith("read_")}

if __name__ == "__main__":
    reader, path, content_type = sys.argv[1:]
    with open(path, "rb") as file:
        body = file.read()
    try:
        answer = {"parts": READERS[reader](body, content_type)}
    except Exception as error:  # whatever a parser throws is its verdict
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))

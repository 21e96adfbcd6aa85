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


def read_python_multipart(body, content_type):
    import io

    from python_multipart.multipart import parse_form

    parts = []

    def on_field(field):
        parts.append(part(field.field_name.decode(), None, None, field.value or b""))

    def on_file(file):
        file.file_object.seek(0)
        content = file.file_object.read()
        kind = file.content_type
        kind = kind.decode() if isinstance(kind, bytes) else kind
        parts.append(part(file.field_name.decode(), file.file_name.decode(), kind, content))

    headers = {"Content-Type": content_type.encode(), "Content-Length": str(len(body)).encode()}
    parse_form(headers, io.BytesIO(body), on_field, on_file)
    return parts


def read_django(body, content_type):
    import io

    from django.conf import settings

    settings.configure(
        DATA_UPLOAD_MAX_MEMORY_SIZE=None,
        DATA_UPLOAD_MAX_NUMBER_FIELDS=None,
        DATA_UPLOAD_MAX_NUMBER_FILES=None,
    )
    from django.core.files.uploadhandler import TemporaryFileUploadHandler
    from django.http.multipartparser import MultiPartParser

    meta = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body))}
    handlers = [TemporaryFileUploadHandler()]
    fields, files = MultiPartParser(meta, io.BytesIO(body), handlers).parse()
    parts = [part(n, None, None, v.encode()) for n, values in fields.lists() for v in values]
    for name, uploads in files.lists():
        for file in uploads:
            kind = file.content_type
            for key, value in (file.content_type_extra or {}).items():
                kind += f";{key}={value.decode()}"
            parts.append(part(name, file.name, kind, file.read()))
    return parts


def read_aiohttp(body, content_type):
    import asyncio
    import unittest.mock

    import aiohttp

    async def read():
        loop = asyncio.get_running_loop()
        stream = aiohttp.StreamReader(unittest.mock.Mock(), 2**16, loop=loop)
        stream.feed_data(body)
        stream.feed_eof()
        parts = []
        reader = aiohttp.MultipartReader({"Content-Type": content_type}, stream)
        while (piece := await reader.next()) is not None:
            kind = piece.headers.get("Content-Type")
            parts.append(part(piece.name, piece.filename, kind, bytes(await piece.read())))
        return parts

    return asyncio.run(read())


def read_bottle(body, content_type):
    import io

    import bottle

    bottle.BaseRequest.MEMFILE_MAX = 2**40
    request = bottle.BaseRequest(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
    )
    fields = request.forms.decode().allitems()
    parts = [part(name, None, None, value.encode()) for name, value in fields]
    for name, file in request.files.decode().allitems():
        parts.append(part(name, file.raw_filename, file.content_type, file.file.read()))
    return parts


def read_tornado(body, content_type):
    from tornado import httputil

    boundary = httputil._parse_header(content_type)[1]["boundary"].encode()
    fields, files = {}, {}
    limits = httputil.ParseMultipartConfig(max_parts=10**6, max_part_header_size=10**6)
    httputil.parse_multipart_form_data(boundary, body, fields, files, config=limits)
    parts = [part(name, None, None, value) for name, values in fields.items() for value in values]
    for name, uploads in files.items():
        parts += [part(name, f.filename, f.content_type, f.body) for f in uploads]
    return parts


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

// Reads BODY with a package for Node: node-packages.cjs PACKAGE BODY CONTENT-TYPE.
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");

const [name, path, contentType] = process.argv.slice(2);
const headers = {
  "content-type": contentType,
  "content-length": String(fs.statSync(path).size),
};

function part(name, filename, type, content) {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { name, filename, contentType: type, size: content.length, sha256 };
}

function request() {
  return Object.assign(fs.createReadStream(path), { headers });
}

function collected(stream, done) {
  const pieces = [];
  stream.on("data", (piece) => pieces.push(piece));
  stream.on("end", () => done(Buffer.concat(pieces)));
}

const readers = {
  busboy(answer, fail) {
    const parts = [];
    const limits = { fieldSize: Infinity, fieldNameSize: Infinity, fileSize: Infinity };
    const parser = require("busboy")({
      headers,
      limits,
      preservePath: true,
      defParamCharset: "utf8",
    });
    parser.on("field", (name, value) => parts.push(part(name, null, null, Buffer.from(value))));
    parser.on("file", (name, stream, info) => {
      const place = parts.push(null) - 1;
      collected(stream, (content) => {
        parts[place] = part(name, info.filename ?? "", info.mimeType, content);
      });
    });
    parser.on("error", fail);
    parser.on("close", () => answer(parts));
    request().pipe(parser);
  },

  formidable(answer, fail) {
    const { formidable } = require("formidable");
    const uploadDir = fs.mkdtempSync(`${os.tmpdir()}/formidable-`);
    const form = formidable({
      uploadDir,
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: 2 ** 40,
      maxTotalFileSize: 2 ** 40,
      maxFields: 10 ** 6,
      maxFieldsSize: 2 ** 40,
    });
    // Files come in the order in which they are on the disk.
    const begun = [];
    form.on("fileBegin", (_, file) => begun.push(file));
    const inOrder = (a, b) => begun.indexOf(a) - begun.indexOf(b);
    form.parse(request(), (error, fields, files) => {
      if (error) return fail(error);
      const list = (value) => (Array.isArray(value) ? value : [value]);
      const parts = [];
      for (const [name, values] of Object.entries(fields)) {
        for (const value of list(values)) parts.push(part(name, null, null, Buffer.from(value)));
      }
      for (const [name, values] of Object.entries(files)) {
        for (const file of list(values).sort(inOrder)) {
          const content = fs.readFileSync(file.filepath);
          parts.push(part(name, file.originalFilename, file.mimetype, content));
        }
      }
      fs.rmSync(uploadDir, { recursive: true });
      answer(parts);
    });
  },

  multiparty(answer, fail) {
    const { Form } = require("multiparty");
    const form = new Form({ maxFields: 10 ** 6, maxFieldsSize: 2 ** 40 });
    const parts = [];
    form.on("part", (piece) => {
      const place = parts.push(null) - 1;
      collected(piece, (content) => {
        const type = piece.headers["content-type"] ?? null;
        parts[place] = part(piece.name, piece.filename ?? null, type, content);
      });
    });
    form.on("error", fail);
    form.on("close", () => answer(parts));
    form.parse(request());
  },
};

function say(answer) {
  process.stdout.write(JSON.stringify(answer));
}
readers[name](
  (parts) => say({ parts }),
  (error) => say({ error: String(error) }),
);

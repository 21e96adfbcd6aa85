// Reads BODY with the fetch API's parser: node.mjs BODY CONTENT-TYPE.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [path, contentType] = process.argv.slice(2);

async function read() {
  const headers = { "content-type": contentType };
  const form = await new Response(readFileSync(path), { headers }).formData();
  const parts = [];
  for (const [name, value] of form) {
    const isField = typeof value === "string";
    const content = isField ? Buffer.from(value) : Buffer.from(await value.arrayBuffer());
    parts.push({
      name,
      filename: isField ? null : value.name,
      contentType: isField ? null : value.type,
      size: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    });
  }
  return { parts };
}

const answer = await read().catch((error) => ({ error: String(error) }));
process.stdout.write(JSON.stringify(answer));

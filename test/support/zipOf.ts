import { crc32, deflateRawSync } from "node:zlib";

/** An archive with these files, written in a way of its own: with the sizes in front of each file, and no flags. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const packed = deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const at = Buffer.alloc(14);
    at.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\0"), facts, at, name);
    const part = Buffer.concat([Buffer.from("PK\x03\x04"), facts, name, packed]);
    parts.push(part);
    offset += part.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(files).length, at);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, records, end]);
}

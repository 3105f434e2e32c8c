import assert from "node:assert/strict";
import { Unzip, UnzipInflate, Zip, ZipDeflate, strToU8, unzipSync, zipSync } from "fflate";
import { compressZip } from "./compressZip.ts";

const everything = (): boolean => true;
const [stored, deflated] = [0, 8];
const text = strToU8("All that an extension consists of can be compressed. ".repeat(400));
const noise = Uint8Array.from({ length: 3_000 }, (_, index) => (index * index * 31 + index * 7) % 251);
const files: Readonly<Record<string, Uint8Array>> = {
  "extension/text.txt": text,
  "extension/empty.txt": new Uint8Array(),
  "extension/noise.bin": noise,
  "extension/übersicht/日本語 🚀.txt": strToU8("Grüße"),
};

/** A zip file whose entries are deflated as badly as possible. */
function createZip(level: 0 | 1 = 1): Buffer {
  return Buffer.from(zipSync({ ...files }, { level, mtime: "1980-01-01T00:00:00" }));
}

/** The zip file as the packager writes it: sizes follow each entry, because they aren't known before. */
function createStreamedZip(): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [name, bytes] of Object.entries(files)) {
    const entry = new ZipDeflate(name, { level: 1 });
    zip.add(entry);
    entry.push(bytes, true);
  }
  zip.end();
  return Buffer.concat(chunks);
}

/** What a reader finds that doesn't look at the directory at the end, but at the header before each entry. */
function readInOrder(zip: Uint8Array): Readonly<Record<string, Uint8Array>> {
  const found: Record<string, Uint8Array> = {};
  const reader = new Unzip((file) => {
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      chunks.push(chunk);
      if (isLast) found[file.name] = new Uint8Array(Buffer.concat(chunks));
    };
    file.start();
  });
  reader.register(UnzipInflate);
  reader.push(zip, true);
  return found;
}

interface Entry {
  readonly method: number;
  readonly flags: number;
  /** As it is in the file. */
  readonly body: Buffer;
}

function readEntries(zip: Buffer): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  let at = zip.readUInt32LE(zip.length - 6);
  for (let left = zip.readUInt16LE(zip.length - 12); left > 0; left--) {
    const [flags, method] = [zip.readUInt16LE(at + 8), zip.readUInt16LE(at + 10)];
    const name = zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    found.set(name, { method, flags, body: zip.subarray(start, start + zip.readUInt32LE(at + 20)) });
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return found;
}

describe("A zip file that is compressed again", () => {
  it("is smaller, with the same files, whose names aren't all ASCII", async () => {
    const zip = createZip();
    const smaller = await compressZip(zip, everything);
    assert.ok(smaller.length < zip.length, `${smaller.length} of ${zip.length} bytes`);
    assert.deepEqual({ ...unzipSync(smaller) }, files);
    assert.deepEqual(Object.keys(unzipSync(smaller)), Object.keys(files));
  });

  it("can be read from start to end, although the sizes followed the entries before", async () => {
    const zip = createStreamedZip();
    assert.ok([...readEntries(zip).values()].every(({ flags }) => (flags & 0x8) !== 0));
    const smaller = await compressZip(zip, everything);
    assert.ok([...readEntries(smaller).values()].every(({ flags }) => (flags & 0x8) === 0));
    assert.deepEqual(readInOrder(smaller), files);
    assert.deepEqual({ ...unzipSync(smaller) }, files);
  });

  it("has the same bytes each time, also if it has been compressed again already", async () => {
    const first = await compressZip(createZip(), everything);
    assert.ok(first.equals(await compressZip(createZip(), everything)));
    assert.ok(first.equals(await compressZip(first, everything)));
  });

  it("keeps entries that are stored, and the bytes of those that aren't worth it", async () => {
    const uncompressed = readEntries(await compressZip(createZip(0), everything));
    for (const [name, { method, body }] of uncompressed) {
      assert.equal(method, stored, name);
      assert.deepEqual(new Uint8Array(body), files[name], name);
    }
    const zip = createZip();
    const [before, after] = [zip, await compressZip(zip, (name) => !name.endsWith("🚀.txt"))].map(
      readEntries,
    );
    for (const [name, { method, body }] of before ?? []) {
      const now = after?.get(name);
      assert.equal(now?.method, method, name);
      if (name.endsWith("🚀.txt")) assert.ok(now.body.equals(body), name);
      else assert.ok(now.body.length <= body.length, name);
    }
    assert.equal(after?.get("extension/text.txt")?.method, deflated);
  });

  it("is refused if it is incomplete, has a comment, or is compressed in another way", async () => {
    const zip = createZip();
    await assert.rejects(compressZip(Buffer.alloc(0), everything), /no plain end/);
    await assert.rejects(compressZip(zip.subarray(0, -30), everything), /no plain end/);
    await assert.rejects(compressZip(Buffer.concat([zip, Buffer.from("!")]), everything), /no plain end/);
    const misplaced = Buffer.from(zip);
    misplaced.writeUInt32LE(1, zip.length - 6);
    await assert.rejects(compressZip(misplaced, everything), /directory can't be read/);
    const other = Buffer.from(zip);
    other.writeUInt16LE(12, zip.readUInt32LE(zip.length - 6) + 10);
    await assert.rejects(compressZip(other, everything), /compressed by method 12/);
  });
});

import { inflateRawSync } from "node:zlib";

/** The compressor ends the whole process at any rejection that isn't handled at once, which is up to the process. */
const events = ["uncaughtException", "unhandledRejection"] as const;
const listeners = new Set(events.flatMap((event) => process.rawListeners(event)));
const { deflateAsync } = await import("@gfx/zopfli");
for (const event of events) {
  for (const listener of process.rawListeners(event)) {
    if (!listeners.has(listener)) process.removeListener(event, listener as () => void);
  }
}

const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const centralBytes = 46;
const localBytes = 30;
const endBytes = 22;
const [stored, deflated] = [0, 8];
/** Where both kinds of header have the same fields, from the version needed to the length of the name. */
const sharedFields = { central: 6, local: 4, bytes: 24 };
/** More rounds take as long again and save almost nothing. */
const options = { numiterations: 8 };

/** Compressed bytes by the bytes themselves, so that packaging twice compresses once. */
const known = new Map<string, Buffer>();

/**
 * The same zip file with its entries compressed as well as deflate can: about 4 % smaller.
 * @param isWorthIt Whether to compress the entry of this name again; others stay as they are.
 * @throws Error if it isn't in the form that the packager writes: without comments, extra fields or 64-bit sizes.
 */
export async function compressZip(zip: Buffer, isWorthIt: (name: string) => boolean): Promise<Buffer> {
  const end = zip.length - endBytes;
  if (end < 0 || zip.readUInt32LE(end) !== endSignature) throw new Error("The zip file has no plain end.");
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let [at, offset] = [zip.readUInt32LE(end + 16), 0];
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== centralSignature) throw new Error("The zip file's directory can't be read.");
    const central = Buffer.from(zip.subarray(at, at + centralBytes));
    const name = zip.subarray(at + centralBytes, at + centralBytes + central.readUInt16LE(28));
    at += centralBytes + name.length + central.readUInt16LE(30) + central.readUInt16LE(32);

    const body = bodyOf(zip, central);
    const best = isWorthIt(name.toString()) ? await compress(body, central.readUInt16LE(10)) : body;
    // The sizes are in this header, so no data descriptor follows the entry.
    central.writeUInt16LE(central.readUInt16LE(8) & ~0x8, 8);
    central.writeUInt32LE(best.length, 20);
    central.writeUInt32LE(0, 30);
    central.writeUInt32LE(offset, 42);
    const local = Buffer.alloc(localBytes);
    local.writeUInt32LE(0x04034b50);
    central.copy(local, sharedFields.local, sharedFields.central, sharedFields.central + sharedFields.bytes);
    locals.push(local, name, best);
    centrals.push(central, name);
    offset += localBytes + name.length + best.length;
  }
  const directory = Buffer.concat(centrals);
  const trailer = Buffer.from(zip.subarray(end));
  trailer.writeUInt32LE(directory.length, 12);
  trailer.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, trailer]);
}

/** The bytes of an entry as they are in the zip file. */
function bodyOf(zip: Buffer, central: Buffer): Buffer {
  const local = central.readUInt32LE(42);
  const start = local + localBytes + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  return zip.subarray(start, start + central.readUInt32LE(20));
}

async function compress(body: Buffer, method: number): Promise<Buffer> {
  if (method === stored) return body;
  if (method !== deflated) throw new Error(`The zip file is compressed by method ${method}.`);
  const key = body.toString("base64");
  const before = known.get(key);
  if (before !== undefined) return before;
  const smaller = Buffer.from(await deflateAsync(inflateRawSync(body), options));
  const best = smaller.length < body.length ? smaller : body;
  known.set(key, best);
  return best;
}

import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import { omittedContent, withoutContent } from "../../core/responses/exchange/exchangeLog.ts";
import type { ExchangeStore } from "../../core/responses/exchange/exchangeLog.ts";
import { parseExchanges } from "../../core/responses/exchange/exchangeFields.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Limits for all conversations together. The oldest exchanges are removed first. */
interface ExchangeLimits {
  readonly files: number;
  readonly bytes: number;
}

const defaultLimits: ExchangeLimits = { files: 5_000, bytes: 100 * 1024 * 1024 };
/** No real exchange is longer. A longer file was planted to exhaust memory. */
const maxText = 64 * 1024 * 1024;
/** Scanning the folder costs more than writing a file. */
const savesBetweenTidying = 50;
const fileEnd = ".json.gz";
/**
 * A file that marks the folder as containing no other files with content, so that they don't have to be read again to
 * find out.
 */
const emptyMark = "without-content";

/**
 * Exchanges are stored next to the database, because losing them costs nothing: one compressed file per response, in
 * one folder per conversation. Two windows may use it at the same time, because files are only replaced as a whole.
 */
export class ExchangeFiles implements ExchangeStore {
  readonly #folder: string;
  readonly #limits: ExchangeLimits;
  #saves = 0;

  constructor(folder: string, limits: ExchangeLimits = defaultLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  async load(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    try {
      return await read(this.#file(conversationId, messageId));
    } catch (error) {
      if (systemCodeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  async save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void> {
    const file = this.#file(conversationId, messageId);
    await mkdir(this.#conversation(conversationId), { recursive: true, mode: 0o700 });
    if (hasContent(exchanges)) await rm(join(this.#folder, emptyMark), { force: true });
    await write(file, exchanges, `${process.pid}`);
    if (this.#saves++ % savesBetweenTidying === 0) await this.tidy();
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await rm(this.#conversation(conversationId), { recursive: true, force: true });
  }

  /**
   * Deletes what was sent from every file and keeps what was measured. A file that can't be read is deleted.
   * @param mustRead Whether files are read even if this was done before and nothing with content was saved since.
   */
  async deleteContent(mustRead: boolean): Promise<void> {
    const mark = join(this.#folder, emptyMark);
    const files = await this.#list().catch(ignoreMissing);
    if (files === undefined || (!mustRead && (await readFacts(mark)) !== undefined)) return;
    for (const file of files) await deleteContentOf(file);
    await writeFile(mark, "", { mode: 0o600 });
  }

  /** Removes the oldest files that exceed the limits. */
  async tidy(): Promise<void> {
    const files = (await this.#list()).toSorted((a, b) => b.changedAt - a.changedAt);
    let bytes = 0;
    for (const [index, file] of files.entries()) {
      bytes += file.size;
      if (index < this.#limits.files && bytes <= this.#limits.bytes) continue;
      await rm(file.path, { force: true });
    }
  }

  async #list(): Promise<readonly StoredFile[]> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile() && entry.name !== emptyMark)
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = await Promise.all(paths.map(readFacts));
    return files.filter((file) => file !== undefined);
  }

  /** In imported conversations, IDs come from others, so only their hashes are used as file names. */
  #conversation(conversationId: string): string {
    return join(this.#folder, hash(conversationId));
  }

  #file(conversationId: string, messageId: string): string {
    return join(this.#conversation(conversationId), `${hash(messageId)}${fileEnd}`);
  }
}

interface StoredFile {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Undefined if another window has removed the file in the meantime. */
async function readFacts(path: string): Promise<StoredFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { path, size, changedAt: mtimeMs };
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function write(file: string, exchanges: readonly Exchange[], writer: string): Promise<void> {
  const draft = `${file}.${writer}`;
  await writeFile(draft, await compress(JSON.stringify(exchanges)), { mode: 0o600 });
  await rename(draft, file);
}

async function read(file: string): Promise<readonly Exchange[]> {
  const text = await decompress(await readFile(file), { maxOutputLength: maxText });
  return parseExchanges(JSON.parse(text.toString("utf8")));
}

async function deleteContentOf({ path, changedAt }: StoredFile): Promise<void> {
  try {
    // Anything else is the draft of a window that was killed.
    const exchanges = path.endsWith(fileEnd) ? await read(path) : [];
    if (exchanges.length === 0) return await rm(path, { force: true });
    if (!hasContent(exchanges)) return;
    await write(path, exchanges.map(withoutContent), `${process.pid}-${randomUUID()}`);
    // The oldest files are still removed first.
    await utimes(path, new Date(changedAt), new Date(changedAt));
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") await rm(path, { force: true });
  }
}

function hasContent(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ attempts }) => attempts.some(({ request }) => request.body !== omittedContent));
}

function ignoreMissing(error: unknown): undefined {
  if (systemCodeOf(error) !== "ENOENT") throw error;
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

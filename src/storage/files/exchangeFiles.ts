import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import type { ExchangeStore } from "../../core/responses/exchange/exchangeLog.ts";
import { parseExchanges } from "../../core/responses/exchange/exchangeFields.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Limits for all conversations together. The oldest exchanges are removed first. */
export interface ExchangeLimits {
  readonly files: number;
  readonly bytes: number;
}

const defaultLimits: ExchangeLimits = { files: 5_000, bytes: 100 * 1024 * 1024 };
/** No real exchange is longer. A longer file was planted to exhaust memory. */
const maxText = 64 * 1024 * 1024;
/** Scanning the folder costs more than writing a file. */
const savesBetweenTidying = 50;

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
      const bytes = await readFile(this.#file(conversationId, messageId));
      const text = await decompress(bytes, { maxOutputLength: maxText });
      return parseExchanges(JSON.parse(text.toString("utf8")));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void> {
    const file = this.#file(conversationId, messageId);
    const bytes = await compress(JSON.stringify(exchanges));
    await mkdir(this.#conversation(conversationId), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, bytes, { mode: 0o600 });
    await rename(draft, file);
    if (this.#saves++ % savesBetweenTidying === 0) await this.tidy();
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await rm(this.#conversation(conversationId), { recursive: true, force: true });
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
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = await Promise.all(paths.map(readFacts));
    return files.filter((file) => file !== undefined);
  }

  /** In imported conversations, IDs come from others, so only their hashes are used as file names. */
  #conversation(conversationId: string): string {
    return join(this.#folder, hash(conversationId));
  }

  #file(conversationId: string, messageId: string): string {
    return join(this.#conversation(conversationId), `${hash(messageId)}.json.gz`);
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
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

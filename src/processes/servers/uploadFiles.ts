import { Readable } from "node:stream";
import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { foldersOf } from "../../core/servers/files/fileFacts.ts";
import type { FileFacts } from "../../core/servers/files/fileFacts.ts";
import {
  appendScript,
  commitScript,
  dropScript,
  lookScript,
  pathInput,
  readLook,
  receiveScript,
} from "../../core/servers/files/remoteFiles.ts";
import type { RemoteLook } from "../../core/servers/files/remoteFiles.ts";
import { joinBytes, paddingOf, tarEnd, tarHeader } from "../../core/servers/files/tarFormat.ts";
import type { UploadSource } from "./localFiles.ts";
import { streamText } from "./runRemote.ts";
import { isSameStart, RunningTransfer } from "./transfer.ts";
import type { TransferHooks, TransferPlace } from "./transfer.ts";

/** Looks at what is in the server's folder at these paths. */
export async function lookAtRemote(
  { place, folder, stage }: TransferPlace,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<RemoteLook> {
  const input = [Buffer.from(pathInput(paths))];
  return readLook((await streamText(place, lookScript(folder, stage), { input, signal })).text, stage);
}

interface Upload extends TransferPlace {
  readonly source: UploadSource;
  readonly entries: readonly FileFacts[];
  /** The paths of the files that the user agrees to replace. */
  readonly replaced: readonly string[];
}

/** Number of times that files are sent because they change while they are read. */
const mostRounds = 3;

/** Uploads files. Resolves with the paths of those that couldn't be read. */
export async function uploadFiles(upload: Upload, hooks: TransferHooks): Promise<readonly string[]> {
  return await new RunningUpload(upload, hooks).run();
}

class RunningUpload extends RunningTransfer {
  readonly #upload: Upload;
  /** What is sent, by path, with the latest facts. */
  readonly #entries: Map<string, FileFacts>;
  /** The paths of the entries and of the folders that they are in. */
  readonly #expected: ReadonlySet<string>;
  /** Paths of what was sent wrongly, because it changed meanwhile. */
  readonly #changed = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(upload: Upload, hooks: TransferHooks) {
    super(hooks);
    this.#upload = upload;
    this.#entries = new Map(upload.entries.map((entry) => [entry.path, entry]));
    this.#expected = new Set(upload.entries.flatMap(({ path }) => [...foldersOf(path), path]));
  }

  protected override async attempt(onReached: () => void): Promise<readonly string[]> {
    const { signal } = this.hooks;
    for (let round = 0; round < mostRounds; round++) {
      const { staged } = await lookAtRemote(this.#upload, [], signal);
      onReached();
      await this.#drop([...staged.keys()].filter((path) => path !== "" && !this.#expected.has(path)));
      const rest = await this.#restOf(staged);
      if (rest.length === 0) break;
      const input = this.#archive(rest);
      await this.#run(receiveScript(this.#upload.folder, this.#upload.stage), input);
      if (this.#changed.size === 0) break;
      await this.#lookAgain();
    }
    for (const path of this.#changed) this.#failed.add(path);
    await this.#drop([...this.#failed]);
    await this.#commit();
    return [...this.#failed];
  }

  /** What isn't there yet. A large file of which only a part is there is continued. */
  async #restOf(staged: RemoteLook["staged"]): Promise<readonly FileFacts[]> {
    this.done = 0;
    const isThere = ({ path, kind, size, modifiedAt }: FileFacts): boolean => {
      const there = staged.get(path);
      if (there?.kind !== kind || this.#changed.has(path)) return false;
      return kind !== "file" || (there.size === size && there.modifiedAt === modifiedAt);
    };
    const rest: FileFacts[] = [];
    for (const entry of this.#entries.values()) {
      const part = staged.get(entry.path);
      if (isThere(entry) || (part !== undefined && (await this.#continue(entry, part.size))))
        this.done += entry.size;
      else rest.push(entry);
    }
    this.report();
    return rest;
  }

  async #continue(entry: FileFacts, length: number): Promise<boolean> {
    const { source, folder, stage, place } = this.#upload;
    const { signal } = this.hooks;
    if (entry.kind !== "file" || length > entry.size || this.#changed.has(entry.path)) return false;
    const staged = { place, folder: `${folder}/${stage}` };
    const bytes = (): AsyncIterable<Uint8Array> => source.read(entry, 0);
    if (!(await isSameStart(staged, entry.path, { length, bytes, signal }))) return false;
    const before = this.done;
    this.done += length;
    await this.#run(appendScript(folder, stage, entry), this.count(source.read(entry, length)));
    this.done = before;
    const now = await source.look(entry);
    return now?.size === entry.size && now.modifiedAt === entry.modifiedAt;
  }

  async #run(script: string, input: AsyncIterable<Uint8Array>): Promise<void> {
    const { text, status } = await streamText(this.#upload.place, script, {
      ...{ input, signal: this.hooks.signal },
    });
    if (status === 0) return;
    const [words = ""] = text.trim().split("\n", 1);
    throw new Error(t("The server couldn't store the files: {0}", sanitizeLabel(words, 300)));
  }

  /** Removes what is in the stage but must not be put in place: what an earlier upload left, or what is incomplete. */
  async #drop(paths: readonly string[]): Promise<void> {
    const { folder, stage } = this.#upload;
    if (paths.length > 0) await this.#run(dropScript(folder, stage), Readable.from([pathInput(paths)]));
  }

  /** Gives everything its final name at once. */
  async #commit(): Promise<void> {
    const { place, folder, stage, replaced } = this.#upload;
    const input = [Buffer.from(pathInput(replaced))];
    const { signal } = this.hooks;
    const { text, status } = await streamText(place, commitScript(folder, stage), { input, signal });
    const left = Number(/^left: *(\d+)$/m.exec(text)?.[1]);
    if (status === 0 && left === 0) return;
    throw new Error(
      left > 0
        ? t(
            "{0} files weren't put in place, because others with their names have appeared on the server. Upload again to decide about them.",
            formatNumber(left),
          )
        : t("The server couldn't put the files in place."),
    );
  }

  /** What has changed is sent once more, and what can't be read is left out. */
  async #lookAgain(): Promise<void> {
    for (const path of this.#changed) {
      const entry = this.#entries.get(path);
      const now = entry === undefined ? undefined : await this.#upload.source.look(entry);
      if (now?.kind === "file") this.#entries.set(path, now);
      else {
        this.#entries.delete(path);
        this.#changed.delete(path);
        this.#failed.add(path);
      }
    }
  }

  async *#archive(entries: readonly FileFacts[]): AsyncGenerator<Uint8Array> {
    let parts: Uint8Array[] = [];
    let count = 0;
    let bytes = 0;
    for await (const piece of this.#pieces(entries)) {
      parts.push(piece.bytes);
      count += piece.bytes.length;
      bytes += piece.content;
      if (count < 65_536) continue;
      yield parts.length === 1 ? piece.bytes : joinBytes(parts);
      this.done += bytes;
      this.report();
      [parts, count, bytes] = [[], 0, 0];
    }
    yield joinBytes([...parts, tarEnd]);
    this.done += bytes;
    this.report();
  }

  async *#pieces(
    entries: readonly FileFacts[],
  ): AsyncGenerator<{ readonly bytes: Uint8Array; readonly content: number }> {
    const small = new ReadAhead(entries, this.#upload.source);
    for (const [index, entry] of entries.entries()) {
      const { path, kind, size } = entry;
      if (kind !== "file") {
        yield { bytes: tarHeader(entry), content: 0 };
        continue;
      }
      const whole = await small.take(index);
      if (whole !== undefined && whole.length !== size) {
        this.#changed.add(path);
        continue;
      }
      this.#changed.delete(path);
      yield { bytes: tarHeader(entry), content: 0 };
      if (whole === undefined) yield* this.#largeFile(entry);
      else yield { bytes: whole, content: size };
      yield { bytes: new Uint8Array(paddingOf(size)), content: 0 };
    }
  }

  /** The content of a file in exactly the announced length, whatever happens to the file meanwhile. */
  async *#largeFile(
    entry: FileFacts,
  ): AsyncGenerator<{ readonly bytes: Uint8Array; readonly content: number }> {
    let left = entry.size;
    try {
      for await (const piece of this.#upload.source.read(entry, 0)) {
        const bytes = piece.subarray(0, left);
        left -= bytes.length;
        yield { bytes, content: bytes.length };
      }
    } catch {
      // It is sent again, or reported if it still can't be read.
    }
    const now = await this.#upload.source.look(entry);
    if (left > 0 || now?.size !== entry.size || now.modifiedAt !== entry.modifiedAt)
      this.#changed.add(entry.path);
    for (; left > 0; left -= Math.min(left, 65_536))
      yield { bytes: new Uint8Array(Math.min(left, 65_536)), content: 0 };
  }
}

/** Small files that are read at the same time, before it is their turn: opening each takes longer than reading it. */
class ReadAhead {
  readonly #entries: readonly FileFacts[];
  readonly #source: UploadSource;
  readonly #reading = new Map<number, Promise<Uint8Array>>();
  #next = 0;

  constructor(entries: readonly FileFacts[], source: UploadSource) {
    this.#entries = entries;
    this.#source = source;
  }

  /** The content, empty if it can't be read; undefined if the file isn't small. */
  async take(index: number): Promise<Uint8Array | undefined> {
    for (; this.#next < this.#entries.length && this.#next <= index + 16; this.#next++) {
      const entry = this.#entries[this.#next];
      if (entry?.kind === "file" && entry.size <= 131_072) this.#reading.set(this.#next, this.#read(entry));
    }
    const read = this.#reading.get(index);
    this.#reading.delete(index);
    return await read;
  }

  async #read(entry: FileFacts): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of this.#source.read(entry, 0)) pieces.push(piece);
    } catch {
      return new Uint8Array();
    }
    return joinBytes(pieces);
  }
}

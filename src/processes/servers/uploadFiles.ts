import { Readable } from "node:stream";
import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { foldersOf, isComplete } from "../../core/servers/files/fileFacts.ts";
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
import { inOrder, isSameStart, leastPart, notInPlace, RunningTransfer } from "./transfer.ts";
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

/** What programs print if a file can't be written; GNU's tar has words of its own for a full disk. */
const refused = /denied|Read-only|No space|quota|Wrote only/i;

/** Why the server couldn't store files, with the words of its programs. */
function refusal(text: string): Error {
  const lines = text.trim().split("\n");
  const words = sanitizeLabel(lines.find((line) => refused.test(line)) ?? lines[0] ?? "", 300);
  return new Error(
    /No space|quota|Wrote only/i.test(words)
      ? t("The server's disk is full, or your quota is used up: {0}", words)
      : t("The server couldn't store the files: {0}", words),
  );
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
      // Sending nothing makes the folder, which may be empty.
      if (rest.length === 0 && staged.size > 0) break;
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
    const rest: FileFacts[] = [];
    for (const entry of this.#entries.values()) {
      const part = this.#changed.has(entry.path) ? undefined : staged.get(entry.path);
      if (isComplete(entry, part) || (part !== undefined && (await this.#continue(entry, part.size))))
        this.done += entry.size;
      else rest.push(entry);
    }
    this.report();
    return rest;
  }

  async #continue(entry: FileFacts, length: number): Promise<boolean> {
    const { source, folder, stage, place } = this.#upload;
    const { signal } = this.hooks;
    if (entry.kind !== "file" || length < leastPart || length > entry.size) return false;
    const staged = { place, folder: `${folder}/${stage}` };
    const bytes = (): AsyncIterable<Uint8Array> => this.#read(entry);
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
    if (status !== 0) throw refusal(text);
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
    if (left > 0) throw refused.test(text) ? refusal(text) : notInPlace(left);
    if (status !== 0 || left !== 0) throw new Error(t("The server couldn't put the files in place."));
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
    for await (const piece of this.#pieces(entries)) {
      parts.push(piece);
      count += piece.length;
      if (count < 65_536) continue;
      yield parts.length === 1 ? piece : joinBytes(parts);
      this.report();
      [parts, count] = [[], 0];
    }
    yield joinBytes([...parts, tarEnd]);
    this.report();
  }

  async *#pieces(entries: readonly FileFacts[]): AsyncGenerator<Uint8Array> {
    for await (const [entry, content] of inOrder(entries, (each) => this.#readSmall(each))) {
      const { path, kind, size } = entry;
      if (content !== undefined && content.length !== size) {
        this.#changed.add(path);
        continue;
      }
      this.#changed.delete(path);
      if (kind !== "file") {
        yield tarHeader(entry);
        continue;
      }
      const pieces = content === undefined ? this.#largeFile(entry) : [content].values();
      const first = await pieces.next();
      if (this.#changed.has(path)) continue;
      yield tarHeader(entry);
      if (first.done !== true) yield first.value;
      yield* pieces;
      if (content !== undefined) this.done += size;
      yield new Uint8Array(paddingOf(size));
    }
  }

  /** The content of a file as far as it can be read. What is missing is sent again, or reported if it still can't be. */
  async *#read(entry: FileFacts): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#upload.source.read(entry, 0);
    } catch {
      // The size tells.
    }
  }

  /** The entry with its content if that is small. */
  async #readSmall(entry: FileFacts): Promise<readonly [FileFacts, Uint8Array | undefined]> {
    if (entry.kind !== "file" || entry.size > 131_072) return [entry, undefined];
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#read(entry)) pieces.push(piece);
    return [entry, joinBytes(pieces)];
  }

  /**
   * The content of a file in exactly the announced length, whatever happens to the file meanwhile; nothing if it can't be
   * read at all.
   */
  async *#largeFile(entry: FileFacts): AsyncGenerator<Uint8Array> {
    let left = entry.size;
    for await (const piece of this.#read(entry)) {
      yield piece.subarray(0, left);
      this.done += Math.min(left, piece.length);
      left -= Math.min(left, piece.length);
    }
    if (left === entry.size) return void this.#changed.add(entry.path);
    const now = await this.#upload.source.look(entry);
    if (left > 0 || now?.size !== entry.size || now.modifiedAt !== entry.modifiedAt)
      this.#changed.add(entry.path);
    for (; left > 0; left -= Math.min(left, 65_536)) yield new Uint8Array(Math.min(left, 65_536));
  }
}

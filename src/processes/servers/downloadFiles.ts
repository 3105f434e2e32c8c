import { createReadStream } from "node:fs";
import type { Stats } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  rm,
  rmdir,
  statfs,
  symlink,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { isComplete, staysInside } from "../../core/servers/files/fileFacts.ts";
import type { FileFacts } from "../../core/servers/files/fileFacts.ts";
import {
  listScript,
  missingTools,
  pathInput,
  readClosed,
  readList,
  restScript,
  sendScript,
} from "../../core/servers/files/remoteFiles.ts";
import { renameFile } from "../../storage/files/heldFile.ts";
import { CutShort, nextEntry, paddingOf } from "../../core/servers/files/tarFormat.ts";
import type { ByteReader } from "../../core/servers/files/tarFormat.ts";
import { lookAtFile } from "./localFiles.ts";
import { readEnd, streamRemote, streamText } from "./runRemote.ts";
import { lookAtRemote } from "./uploadFiles.ts";
import { inParallel, isSameStart, leastPart, notInPlace, RunningTransfer } from "./transfer.ts";
import type { TransferHooks, TransferPlace } from "./transfer.ts";

/** Everything in a folder of the server, and the folders in it that can't be read. */
export async function listRemote(
  { place, folder }: Pick<TransferPlace, "place" | "folder">,
  onlyNew: boolean,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly FileFacts[]; readonly closed: readonly string[] }> {
  const { text, status } = await streamText(place, listScript(folder, onlyNew), { signal });
  if (status !== 0) throw new Error(t("{0} can't be read on the server.", folder));
  const problem = missingTools(text);
  if (problem !== undefined) throw new Error(problem);
  return { entries: readList(text), closed: readClosed(text) };
}

/** What is in a folder of this machine at these paths, and how many bytes are free there. */
export async function lookAtLocal(
  folder: string,
  entries: readonly FileFacts[],
): Promise<{ readonly existing: ReadonlyMap<string, FileFacts>; readonly free: number | undefined }> {
  const existing = new Map<string, FileFacts>();
  await inParallel(entries, async ({ path }) => {
    const found = await lookAtFile(join(folder, path), path);
    if (found !== undefined) existing.set(path, found);
  });
  // The folder itself may be a new one.
  const space = await statfs(folder).catch(() => statfs(dirname(folder)).catch(() => undefined));
  return { existing, free: space === undefined ? undefined : space.bavail * space.bsize };
}

async function look(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch(() => undefined);
}

interface Download extends TransferPlace {
  /** What is downloaded; each path has passed `checkListed`. */
  readonly entries: readonly FileFacts[];
  /** The folder of this machine. */
  readonly destination: string;
  /** The paths of the files that the user agrees to replace. */
  readonly replaced: readonly string[];
}

/** Downloads files. Resolves with the paths of those that couldn't be read or written. */
export async function downloadFiles(download: Download, hooks: TransferHooks): Promise<readonly string[]> {
  return await new RunningDownload(download, hooks).run();
}

/** Removes what a download has left in a folder of this machine. */
export async function discardDownload({
  destination,
  stage,
}: Pick<Download, "destination" | "stage">): Promise<void> {
  await rm(join(destination, stage), { recursive: true, force: true });
}

interface ArchiveEnd {
  /** How the server's program ended. */
  status: number;
  /** Further names of files in the archive, with the first ones. */
  readonly copies: (readonly [FileFacts, string])[];
}

class RunningDownload extends RunningTransfer {
  readonly #download: Download;
  readonly #stage: string;
  readonly #entries: ReadonlyMap<string, FileFacts>;
  /** Where links lead, by path. They are made last, so that nothing is written through them. */
  readonly #links = new Map<string, string>();
  readonly #received = new Set<string>();
  /** The lengths in bytes of large files of which only a part is there, by path. */
  readonly #parts = new Map<string, number>();

  constructor(download: Download, hooks: TransferHooks) {
    super(hooks);
    this.#download = download;
    this.#stage = join(download.destination, download.stage);
    this.#entries = new Map(download.entries.map((entry) => [entry.path, entry]));
  }

  protected override async attempt(onReached: () => void): Promise<readonly string[]> {
    const { place, folder, entries } = this.#download;
    const { signal } = this.hooks;
    await mkdir(this.#stage, { recursive: true, mode: 0o700 }).catch(() => undefined);
    if ((await look(this.#stage))?.isDirectory() !== true) throw new Error(t("The folder can't be written."));
    await this.#findReceived();
    for (const { path, kind } of entries)
      if (kind === "folder") await mkdir(join(this.#stage, path), { recursive: true });
    await this.#continueParts(onReached);
    this.report();
    const missing = this.#missing();
    if (missing.length > 0) {
      const input = [Buffer.from(pathInput(missing))];
      const status = await streamRemote(place, sendScript(folder), {
        ...{ input, signal },
        read: async (output) => {
          onReached();
          return await this.#unpack(output);
        },
      });
      if (status !== 0) await this.#leaveShortened(missing);
    }
    await this.#commit();
    return this.#missing();
  }

  /** A file that became shorter while it was read ends with zeros. */
  async #leaveShortened(paths: readonly string[]): Promise<void> {
    const { existing } = await lookAtRemote(this.#download, paths, this.hooks.signal);
    for (const path of paths)
      if ((existing.get(path)?.size ?? 0) < (this.#entries.get(path)?.size ?? 0)) this.#received.delete(path);
  }

  #missing(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ path, kind }) =>
      kind === "folder" || this.#received.has(path) ? [] : [path],
    );
  }

  /**
   * What an earlier attempt has received: only complete files have their time. Incomplete ones that will be continued count
   * as well, so that the progress doesn't go back to the start while the server can't be reached.
   */
  async #findReceived(): Promise<void> {
    this.done = 0;
    this.#parts.clear();
    await inParallel(this.#entries.values(), async (entry) => {
      const { path, kind, size } = entry;
      if (kind !== "file") return;
      this.#received.delete(path);
      const found = await lookAtFile(join(this.#stage, path), path);
      const length = found?.size ?? 0;
      if (isComplete(entry, found)) this.#received.add(path);
      else if (length < leastPart || length >= size) return;
      else this.#parts.set(path, length);
      this.done += length;
    });
  }

  async #continueParts(onReached: () => void): Promise<void> {
    const { place, folder } = this.#download;
    const { signal } = this.hooks;
    for (const [name, length] of this.#parts) {
      const entry = this.#entries.get(name);
      if (entry === undefined) continue;
      const path = join(this.#stage, name);
      const start = { length, bytes: () => createReadStream(path), signal };
      const isSame = await isSameStart({ place, folder }, name, start);
      onReached();
      const others = this.done - length;
      if (!isSame) {
        this.done = others;
        continue;
      }
      const isWhole = await streamRemote(place, restScript(folder, name, length), {
        signal,
        read: async (output) => {
          await this.#write(path, "a", entry, output.pieces(entry.size - length));
          // A file that has grown meanwhile isn't the one that was listed.
          const rest = await output.take(100);
          return rest.length < 100 && readEnd(Buffer.from(rest).toString()).text === "";
        },
      });
      if (isWhole) await this.#finish(name, entry);
      else {
        await unlink(path);
        this.done = others;
      }
    }
  }

  /** Writes the files of an archive, and nothing that wasn't requested. Returns how the server's program ended. */
  async #unpack(output: ByteReader): Promise<number> {
    const end: ArchiveEnd = { status: 0, copies: [] };
    await inParallel(this.#readArchive(output, end), async ([entry, content]) => {
      await writeFile(await this.#place(entry.path), content, { mode: entry.mode | 0o600 });
      this.done += content.length;
      this.report();
      await this.#finish(entry.path, entry);
    });
    for (const [entry, original] of end.copies) {
      if (!this.#received.has(original)) continue;
      await copyFile(join(this.#stage, original), await this.#place(entry.path));
      await this.#finish(entry.path, entry);
    }
    return end.status;
  }

  /** Writes large files and yields small ones, so that these are written while the next ones are read. */
  async *#readArchive(output: ByteReader, end: ArchiveEnd): AsyncGenerator<readonly [FileFacts, Uint8Array]> {
    for (;;) {
      const found = await nextEntry(output);
      if ("rest" in found) return void (end.status = readEnd(found.rest).status);
      const { path, flag, size, target } = found;
      const entry = this.#entries.get(path);
      if (entry?.kind === "link" && flag === "2") this.#takeLink(path, target);
      if (entry?.kind === "file" && flag === "1") end.copies.push([entry, target.replace(/^\.\//, "")]);
      if (entry?.kind !== "file" || !/[07]/.test(flag)) {
        for await (const piece of output.pieces(size)) void piece;
      } else if (size < 262_144) {
        const content = await output.take(size);
        if (content.length < size) throw new CutShort();
        yield [{ ...entry, ...found }, content];
      } else {
        await this.#write(await this.#place(path), "w", entry, output.pieces(size));
        await this.#finish(path, { ...entry, ...found });
      }
      await output.take(paddingOf(size));
    }
  }

  #takeLink(path: string, target: string): void {
    if (!staysInside({ path, kind: "link", size: 0, mode: 0, modifiedAt: 0, target })) return;
    this.#links.set(path, target);
    this.#received.add(path);
  }

  async #place(path: string): Promise<string> {
    const whole = join(this.#stage, path);
    await mkdir(dirname(whole), { recursive: true });
    return whole;
  }

  async #write(
    path: string,
    flags: "a" | "w",
    { mode }: FileFacts,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const file = await open(path, flags, mode | 0o600);
    try {
      for await (const piece of this.count(pieces)) await file.writeFile(piece);
    } finally {
      await file.close();
    }
  }

  async #finish(path: string, { mode, modifiedAt }: FileFacts): Promise<void> {
    const whole = join(this.#stage, path);
    if (process.platform !== "win32") await chmod(whole, mode);
    await utimes(whole, modifiedAt, modifiedAt);
    this.#received.add(path);
  }

  /** Gives everything its final name. Nothing is moved through a link, or replaces what the user wasn't asked about. */
  async #commit(): Promise<void> {
    const { destination, replaced } = this.#download;
    const mayReplace = new Set(replaced);
    let left = 0;
    const merge = async (folder: string): Promise<void> => {
      await inParallel(await readdir(join(this.#stage, folder), { withFileTypes: true }), async (each) => {
        const path = folder === "" ? each.name : `${folder}/${each.name}`;
        const [from, to] = [join(this.#stage, path), join(destination, path)];
        if (!each.isDirectory() && !this.#received.has(path)) return;
        const there = await look(to);
        if (there === undefined && !each.isDirectory()) renameFile(from, to);
        else if (each.isDirectory() && (there === undefined || there.isDirectory())) {
          if (there === undefined) await mkdir(to);
          await merge(path);
          await rmdir(from).catch(() => undefined);
        } else if (!each.isDirectory() && there?.isDirectory() === false && mayReplace.has(path))
          renameFile(from, to);
        else left++;
      });
    };
    await merge("");
    for (const [path, target] of this.#links)
      left += await this.#makeLink(path, target, mayReplace.has(path));
    if (left > 0) throw notInPlace(left);
    await discardDownload(this.#download);
  }

  /** Returns the number of links that couldn't be made because there is something else. */
  async #makeLink(path: string, target: string, mayReplace: boolean): Promise<number> {
    const { destination } = this.#download;
    const whole = join(destination, path);
    for (let at = dirname(path); at !== "."; at = dirname(at))
      if ((await look(join(destination, at)))?.isDirectory() === false) return 1;
    await mkdir(dirname(whole), { recursive: true });
    if (mayReplace && (await look(whole))?.isSymbolicLink() === true) await unlink(whole);
    try {
      await symlink(target, whole);
      return 0;
    } catch (error) {
      if (systemCodeOf(error) === "EEXIST") return 1;
      // Windows permits links to administrators only.
      this.#received.delete(path);
      return 0;
    }
  }
}

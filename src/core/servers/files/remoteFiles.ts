import { t } from "@vscode/l10n";
import { shellWord } from "../../kernel/shellWord.ts";
import type { FileFacts } from "./fileFacts.ts";

/*
 * What the server's `sh` runs for transfers. Needs a POSIX shell, `find`, `xargs`, `stat` and `tar`, each from GNU, BSD or
 * BusyBox. Paths arrive as input, each followed by a zero byte, or as a quoted word. They are relative, and they
 * begin with `./`, so that none can be read as an option.
 */

/** A folder of the server as a word of a script; `~` is the home folder. */
export function folderWord(folder: string): string {
  if (folder === "~") return '"$HOME"';
  return folder.startsWith("~/") ? `"$HOME"/${shellWord(folder.slice(2))}` : shellWord(folder);
}

const toolCheck = `for i in tar find xargs stat; do command -v $i >/dev/null 2>&1 || echo "missing:$i"; done`;

/** What the server lacks, according to what `toolCheck` has printed first, as a sentence. */
export function missingTools(output: string): string | undefined {
  const [lines = ""] = /^(?:missing:\w{1,20}\n){0,9}/.exec(output) ?? [];
  const missing = lines.replaceAll("missing:", "").trimEnd().replaceAll("\n", ", ");
  return missing === "" ? undefined : t("The server has no {0}. Install it there and try again.", missing);
}

const pathWord = (path: string): string => shellWord(`./${path}`);

/**
 * What `stat` prints for a file: paths that `find` prints contain no `//`, so that this separates records whatever is in
 * a name.
 */
const statFormat = `if stat -c %s . >/dev/null 2>&1; then F='-c //%f:%Y:%s:%n'; else F='-f //%Xp:%m:%z:%N'; fi`;

/** Milliseconds since 1970 as the facts of a file have them. */
export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}

/** The input for a script that gets paths. */
export function pathInput(paths: readonly string[]): string {
  return paths.map((path) => `./${path}\0`).join("");
}

const listMark = "IG1 list";

/**
 * Looks at a folder that needn't exist yet: at the files in it whose paths are the input, and at what was already
 * transferred into `stage`.
 */
export function lookScript(folder: string, stage: string): string {
  return `D=${folderWord(folder)}
${toolCheck}
d=$D
while [ ! -e "$d" ] && [ ! -L "$d" ]; do d=$(dirname -- "$d"); done
[ -d "$d" ] && [ -w "$d" ] && [ -x "$d" ] || echo refused:
[ "$d" != "$D" ] || echo exists:
df -Pk -- "$d" 2>/dev/null | tail -n 1 | sed 's/.* \\([0-9][0-9]*\\)  *[0-9-][0-9]*%.*/free:\\1/'
printf 'home:%s\\n' "$HOME"
${statFormat}
echo "${listMark}"
if [ "$d" = "$D" ] && cd -- "$D"; then
  xargs -0 stat $F 2>/dev/null
  [ ! -d ${stage} ] || find ${stage} -exec stat $F {} + 2>/dev/null
else cat >/dev/null; fi
:`;
}

/** What is known about a folder on a server before a transfer. */
export interface RemoteLook {
  readonly exists: boolean;
  /** Why nothing can be written there; undefined if it can. */
  readonly problem: string | undefined;
  /** Bytes that are free there; undefined if that isn't known. */
  readonly free: number | undefined;
  readonly home: string;
  readonly existing: ReadonlyMap<string, FileFacts>;
  /** What an earlier attempt has transferred. */
  readonly staged: ReadonlyMap<string, FileFacts>;
}

/** Reads what `lookScript` prints. */
export function readLook(output: string, stage: string): RemoteLook {
  const at = output.indexOf(`${listMark}\n`);
  const lines = output.slice(0, at).split("\n");
  const value = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1);
  const files = readList(output.slice(at + listMark.length + 1));
  const prefix = `${stage}/`;
  const isStaged = ({ path }: FileFacts): boolean => path.startsWith(prefix) || path === stage;
  const staged = files.filter(isStaged).map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
  const free = Number(value("free"));
  return {
    exists: value("exists") !== undefined,
    problem:
      missingTools(output) ??
      (value("refused") === undefined
        ? undefined
        : t("This account may not write in this folder on the server.")),
    free: Number.isInteger(free) ? free * 1_024 : undefined,
    home: value("home") ?? "/",
    existing: byPath(files.filter((file) => !isStaged(file))),
    staged: byPath(staged),
  };
}

const byPath = (files: readonly FileFacts[]): ReadonlyMap<string, FileFacts> =>
  new Map(files.map((file) => [file.path, file]));

const kinds: Readonly<Record<number, FileFacts["kind"]>> = { 4: "folder", 8: "file", 10: "link" };

/** The files, folders and links of a list that `stat` has printed. Anything else, such as a device, is left out. */
export function readList(output: string): readonly FileFacts[] {
  return output.split("//").flatMap((record) => {
    const match = /^([0-9a-f]{1,8}):(-?\d{1,15})(?:\.\d*)?:(\d{1,16}):(.*)\n/is.exec(record);
    const [, mode = "", modifiedAt, size, path = ""] = match ?? [];
    const bits = Number.parseInt(mode, 16);
    const kind = match === null ? undefined : kinds[bits >> 12];
    if (kind === undefined || path === ".") return [];
    const facts = { kind, mode: bits & 0o777, size: Number(size), modifiedAt: Number(modifiedAt) };
    return [{ path: path.replace(/^\.\//, ""), ...facts }];
  });
}

/** Marks the path of a folder that can't be read. */
const closedMark = "closed:";

/** The folders in a list whose content is missing, because the account may not read them. */
export function readClosed(output: string): readonly string[] {
  const records = output.split("//").filter((record) => record.startsWith(closedMark));
  return records.map((record) => record.slice(closedMark.length).replace(/^\.\/|\n$/g, ""));
}

/**
 * Lists everything in a folder, and the folders in it that can't be read. `.git` and environments are left out if only
 * new files are of interest.
 */
export function listScript(folder: string, onlyNew: boolean): string {
  const skipped = String.raw`\( -name .git -o -name .venv -o -name __pycache__ \) -prune -o `;
  const find = `find . ${onlyNew ? skipped : ""}! -name .`;
  return `cd -- ${folderWord(folder)} && [ -r . ] || exit 1
${toolCheck}
${statFormat}
${find} -exec stat $F {} + 2>/dev/null
${find} -type d -exec sh -c 'for d; do [ -r "$d" ] && [ -x "$d" ] || printf "//${closedMark}%s\\n" "$d"; done' sh {} + 2>/dev/null
:`;
}

/** Lists what is directly in a folder, as the rows of a picker. Links are followed. */
export function browseScript(folder: string): string {
  return `cd -- ${folderWord(folder)} || exit 1
${toolCheck}
${statFormat}
printf 'in:%s\\n' "$(pwd -P)"
printf 'home:%s\\n' "$(cd && pwd -P)"
find . ! -name . -prune -exec stat -L $F {} + 2>/dev/null
:`;
}

/** Reads what `browseScript` prints. */
export function readBrowse(output: string): {
  readonly folder: string;
  /** Empty if there is none. */
  readonly home: string;
  readonly files: readonly FileFacts[];
} {
  const at = output.indexOf("\n//") + 1;
  const head = at === 0 ? output : output.slice(0, at);
  const [inside = "", home = ""] = head.split("\nhome:");
  return {
    folder: inside.replace(/^in:/, ""),
    home: home.replace(/\n$/, ""),
    files: readList(output.slice(head.length)),
  };
}

/** Makes the folder, and a folder of its own in it that receives the files until they are complete. */
function openStage(folder: string, stage: string): string {
  return `mkdir -p -- ${folderWord(folder)} && cd -- ${folderWord(folder)} && [ ! -L ${stage} ] &&
{ [ -d ${stage} ] || mkdir -m 700 ${stage}; }`;
}

/** Unpacks the archive that is the input. Nothing gets its final name. */
export function receiveScript(folder: string, stage: string): string {
  return `{ ${openStage(folder, stage)} && cd ${stage} && tar -xpof -; } 2>&1`;
}

/** Appends the input to a file that is incomplete, and gives it its time when it is complete. */
export function appendScript(
  folder: string,
  stage: string,
  { path, size, mode, modifiedAt }: FileFacts,
): string {
  const time = new Date(modifiedAt * 1_000).toISOString().replace(/[-T:Z]|\.\d+/g, "");
  const word = pathWord(path);
  return `{ cd -- ${folderWord(folder)}/${stage} && chmod u+rw ${word} && cat >>${word} &&
[ "$(wc -c <${word})" -eq ${size} ] && chmod ${mode.toString(8)} ${word} &&
TZ=UTC0 touch -t ${time.slice(0, 12)}.${time.slice(12)} ${word}; } 2>&1`;
}

/** Prints the SHA-256 digest of the first bytes of a file. */
export function digestScript(folder: string, path: string, length: number): string {
  return `cd -- ${folderWord(folder)} || exit 1
head -c ${length} ${pathWord(path)} | { sha256sum || shasum -a 256; } 2>/dev/null`;
}

/**
 * Gives the files their final names. Only those that are named in the input replace others. A folder that is new is moved
 * as a whole. Nothing is moved through a link. Prints how many are left.
 */
export function commitScript(folder: string, stage: string): string {
  return `cd -- ${folderWord(folder)} && [ -d ${stage} ] && [ ! -L ${stage} ] || exit 1
export B='{}' L='real() { p=$1; while [ "$p" != . ]; do [ ! -L "$p" ] || return 1; p=\${p%/*}; done; }'
xargs -0 sh -c 'eval "$L"; for f; do
  [ -e "${stage}/$f" ] || [ -L "${stage}/$f" ] || continue
  real "\${f%/*}" && [ -L "$f" -o ! -d "$f" ] || continue
  [ ! -L "$f" ] || rm -f "$f"
  mv -f "${stage}/$f" "$f" 2>&1
done' sh
find ${stage} -type d -exec sh -c 'eval "$L"; for d; do
  export T=".\${d#${stage}}"
  [ -d "$d" ] && real "$T" || continue
  if [ ! -e "$T" ]; then mv "$d" "$T" 2>&1
  elif [ -d "$T" ]; then find "$d/." ! -name . -prune ! -type d -exec sh -c '\\''mv -n "$@" "$T/" 2>&1'\\'' sh "$B" +
  fi
done' sh {} +
left=$(find ${stage} ! -type d -exec sh -c 'for f; do echo x; done' sh {} + | wc -l)
[ "$left" -ne 0 ] || rm -rf ${stage}
echo "left:$left"`;
}

/** Removes what an attempt has transferred: the files whose paths are the input. */
export function dropScript(folder: string, stage: string): string {
  return `cd -- ${folderWord(folder)}/${stage} && xargs -0 rm -rf`;
}

/** Removes all that an attempt has transferred, and the folder if it is empty then and was made for it. */
export function discardScript(folder: string, stage: string, wasMade: boolean): string {
  const made = wasMade ? `\nrmdir -- ${folderWord(folder)}` : "";
  return `cd -- ${folderWord(folder)} && rm -rf ${stage}${made}\n:`;
}

/** Prints an archive of the files whose paths are the input. */
export function sendScript(folder: string): string {
  return `cd -- ${folderWord(folder)} && xargs -0 tar -cf -`;
}

/** Prints the rest of a file. */
export function restScript(folder: string, path: string, from: number): string {
  return `cd -- ${folderWord(folder)} && tail -c +${from + 1} ${pathWord(path)}`;
}

import type { SshHost } from "./sshHost.ts";
/** Why a file can't be included, or not be written to. */
type IncludeProblem = "path" | "notText";

type IncludeChange =
  | { readonly state: "done"; readonly text: string }
  /** Nothing has to be changed. */
  | { readonly state: "unchanged" }
  | { readonly state: "refused"; readonly problem: IncludeProblem };

const byteOrderMark = "\ufeff";

/**
 * The line that includes the file in an ssh configuration; undefined if its path holds characters that ssh reads as a
 * pattern, a variable or a quote, which no quoting takes away from them.
 */
export function includeLine(path: string): string | undefined {
  const plain = /^[A-Za-z]:\\/.test(path) ? path.replaceAll("\\", "/") : path;
  if (/["\\*?[\]{}$%\p{Cc}\u2028\u2029]/u.test(plain)) return undefined;
  return /^[\w./:@+-]+$/.test(plain) ? `Include ${plain}` : `Include "${plain}"`;
}

/**
 * The configuration with the line at its top, where it counts for every host; all else stays to the byte. A line that
 * stands further below may belong to one host only, and is moved.
 */
export function addInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "refused", problem: "path" };
  if (text.includes("\0")) return { state: "refused", problem: "notText" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  const rest = lines.filter((each) => !isSame(each, line));
  if (rest.length === lines.length - 1 && isSame(lines[0] ?? "", line)) return { state: "unchanged" };
  const ending = /\r?\n/.exec(text)?.[0] ?? "\n";
  return { state: "done", text: mark + line + ending + rest.join("") };
}

/** The configuration without the line, wherever it stands; all else stays to the byte. */
export function removeInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "unchanged" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  const rest = lines.filter((each) => !isSame(each, line));
  return rest.length === lines.length
    ? { state: "unchanged" }
    : { state: "done", text: mark + rest.join("") };
}

/** Each with its ending. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Indented or in another case by the user: it still is our line. */
function isSame(text: string, line: string): boolean {
  return text.trim().replace(/^include\s+/i, "Include ") === line;
}

const head = [
  "# Servers that Inference Gateway has opened with Remote-SSH. This file is written by the extension:",
  "# what you change here is lost. Your own settings belong into your ssh configuration, which includes it.",
];
const blockMark = "# inference-gateway ";

/** What was written, and under which alias the server is known from then on. */
export interface SshHostsChange {
  readonly text: string;
  readonly alias: string;
}

/**
 * The file of our own with this host put into it: a new block at the end, or in place of the server's earlier one, whose
 * alias stays, because windows that were opened under it are remembered. Blocks that can't be read are left out.
 */
export function putSshHost(text: string, host: SshHost): SshHostsChange {
  const blocks = readBlocks(text);
  const earlier = blocks.get(host.identity);
  const alias = earlier?.alias ?? host.alias;
  blocks.set(host.identity, { alias, lines: formatBlock({ ...host, alias }) });
  const parts = [head, ...[...blocks.values()].map(({ lines }) => lines)];
  return { text: `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`, alias };
}

interface Block {
  readonly alias: string;
  readonly lines: readonly string[];
}

function formatBlock({ alias, identity, host, port, user, keyAlias, comment }: SshHost): readonly string[] {
  return [
    `${blockMark}${identity} ${comment}`.trimEnd(),
    `Host ${alias}`,
    `    HostName ${host}`,
    `    Port ${port}`,
    ...(user === undefined ? [] : [`    User ${user}`]),
    // Without the second line older versions of ssh would compare the key of the reused address all the same.
    ...(keyAlias === undefined ? [] : [`    HostKeyAlias ${keyAlias}`, "    CheckHostIP no"]),
  ];
}

const blockHead = /^# inference-gateway ([0-9a-f]{16})(?: .*)?$/;
const settingLine =
  /^ {4}(?:HostName [A-Za-z0-9.:-]+|Port \d{1,5}|User [A-Za-z_][A-Za-z0-9_.-]*|HostKeyAlias [a-z0-9-]+|CheckHostIP no)$/;

/** Only what we could have written ourselves is taken over. */
function readBlocks(text: string): Map<string, Block> {
  const blocks = new Map<string, Block>();
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const identity = blockHead.exec(line)?.[1];
    const alias = /^Host ([a-z0-9-]+)$/.exec(lines[index + 1] ?? "")?.[1];
    if (identity === undefined || alias === undefined) continue;
    const end = lines.findIndex((each, at) => at > index + 1 && !settingLine.test(each));
    blocks.set(identity, { alias, lines: lines.slice(index, end === -1 ? undefined : end) });
  }
  return blocks;
}

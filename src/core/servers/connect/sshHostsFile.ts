import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { Server } from "../server.ts";
import { serverName } from "../serverLabels.ts";
import type { SshTarget } from "./sshTarget.ts";
/** Why a file can't be included, or can't be written. */
type IncludeProblem = "path" | "notText";

type IncludeChange =
  | { readonly state: "done"; readonly text: string }
  /** No change is needed. */
  | { readonly state: "unchanged" }
  | { readonly state: "refused"; readonly problem: IncludeProblem };

const byteOrderMark = "\ufeff";

/**
 * The line that includes the file in an ssh configuration; undefined if its path contains characters that ssh
 * interprets as a pattern, a variable or a quote even when quoted.
 */
export function includeLine(path: string): string | undefined {
  const plain = /^[A-Za-z]:\\/.test(path) ? path.replaceAll("\\", "/") : path;
  if (/["\\*?[\]{}$%\p{Cc}\u2028\u2029]/u.test(plain)) return undefined;
  return /^[\w./:@+-]+$/.test(plain) ? `Include ${plain}` : `Include "${plain}"`;
}

/**
 * The configuration with the line at its top, where it applies to every host; everything else is preserved byte for
 * byte. A line after the first `Host` or `Match` may apply to some hosts only, so it is moved.
 */
export function addInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "refused", problem: "path" };
  if (text.includes("\0")) return { state: "refused", problem: "notText" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  const firstHost = lines.findIndex((each) => /^\s*(?:host|match)(?:\s|=)/i.test(each));
  const top = firstHost === -1 ? lines : lines.slice(0, firstHost);
  if (top.some((each) => includesPath(each, line))) return { state: "unchanged" };
  const ending = /\r?\n/.exec(text)?.[0] ?? "\n";
  return { state: "done", text: mark + line + ending + withoutPath(lines, line).join("") };
}

/** The configuration without the line, wherever it is; everything else is preserved byte for byte. */
export function removeInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "unchanged" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  return lines.some((each) => includesPath(each, line))
    ? { state: "done", text: mark + withoutPath(lines, line).join("") }
    : { state: "unchanged" };
}

/** The paths of an `Include` line as they are written; none for any other line. */
function includedPaths(line: string): readonly string[] {
  const isInclude = /^include[\s="]/i.test(line.trimStart());
  const rest = line.trim().slice("include".length).trimStart().replace(/^=/, "");
  return isInclude ? (rest.match(/"[^"]*"|[^\s"]+/g) ?? []) : [];
}

/** Whether the path is ours, however the user quotes it and whether or not it begins with `~`. */
function isOurs(path: string, line: string): boolean {
  const [ours = ""] = includedPaths(line);
  const [plain, wanted] = [path, ours].map((each) => each.replaceAll('"', ""));
  return plain === wanted || (plain?.startsWith("~/") === true && wanted?.endsWith(plain.slice(1)) === true);
}

function includesPath(text: string, line: string): boolean {
  return includedPaths(text).some((path) => isOurs(path, line));
}

/** The lines without our path. A line that includes other files keeps them. */
function withoutPath(lines: readonly string[], line: string): readonly string[] {
  return lines.flatMap((each) => {
    const paths = includedPaths(each);
    const others = paths.filter((path) => !isOurs(path, line));
    if (others.length === paths.length) return [each];
    const ending = /\r?\n$/.exec(each)?.[0] ?? "";
    return others.length === 0 ? [] : [`Include ${others.join(" ")}${ending}`];
  });
}

/** Each line with its ending. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const head = [
  "# Servers that Inference Gateway has opened with Remote-SSH. This file is written by the extension:",
  "# what you change here is lost. Your own settings belong into your ssh configuration, which includes it.",
];
const blockMark = "# inference-gateway ";

/** The new content, and the server's alias from then on. */
interface SshHostsChange {
  readonly text: string;
  readonly alias: string;
}

/**
 * Our own file with this host added: as a new block at the end, or replacing the server's earlier block, whose alias is
 * kept because windows opened under it are remembered. Unreadable blocks are removed.
 */
export function putSshHost(text: string, host: SshHost): SshHostsChange {
  const blocks = readBlocks(text);
  const earlier = blocks.get(host.identity);
  const alias = earlier?.alias ?? host.alias;
  blocks.set(host.identity, { alias, lines: formatBlock({ ...host, alias }) });
  const parts = [head, ...[...blocks.values()].map(({ lines }) => lines)];
  return { text: `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`, alias };
}

/** The alias of the server with this identity; undefined if the user hasn't opened it with Remote-SSH. */
export function sshAliasOf(text: string, identity: string): string | undefined {
  return readBlocks(text).get(identity)?.alias;
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
    ...(port === undefined ? [] : [`    Port ${port}`]),
    ...(user === undefined ? [] : [`    User ${user}`]),
    // What the user has set for the address itself, such as its port, then also applies to the alias.
    "    CanonicalizeHostname yes",
    // Without the second line, older versions of ssh would compare the key of the reused address anyway.
    ...(keyAlias === undefined ? [] : [`    HostKeyAlias ${keyAlias}`, "    CheckHostIP no"]),
  ];
}

const blockHead = /^# inference-gateway ([0-9a-f]{16})(?: .*)?$/;
const settingLine =
  /^ {4}(?:HostName [A-Za-z0-9.:-]+|Port \d{1,5}|User \w[\w.-]*|HostKeyAlias [a-z0-9-]+|CheckHostIP no|CanonicalizeHostname yes)$/;

/** Only blocks that we could have written ourselves are kept. */
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

/** A server in an ssh configuration. Every part consists of harmless characters only. */
export interface SshHost extends SshTarget {
  /** The name of the server in `ssh ALIAS`: lower-case letters, digits and dashes. */
  readonly alias: string;
  /** What identifies a server: 16 hexadecimal digits. Each alias ends with the first eight. */
  readonly identity: string;
  /**
   * The name under which the server's key is stored, so that a reused address isn't reported as a changed key.
   * Undefined without an ID.
   */
  readonly keyAlias: string | undefined;
  /** One line for people who read the file. */
  readonly comment: string;
}

/**
 * @param origin The origin of the gateway that lists the server, outside of which an ID is meaningless.
 * @param digest SHA-256 in hexadecimal.
 */
export function sshHost(
  server: Server,
  target: SshTarget,
  origin: string,
  digest: (text: string) => string,
): SshHost {
  const { id } = server;
  const identity = digest(JSON.stringify([origin, id?.value ?? `${target.host}:${target.port ?? 22}`])).slice(
    0,
    16,
  );
  const name = serverName(server);
  return {
    ...target,
    identity,
    alias: `${aliasWord(name)}-${identity.slice(0, 8)}`,
    keyAlias: id === undefined ? undefined : `inference-gateway-${identity}`,
    comment: sanitizeLabel(id === undefined ? name : `${name} (${id.value})`, 120),
  };
}

/** The part of the name that is valid in an alias. Other characters could be taken for patterns, tokens or paths. */
function aliasWord(name: string): string {
  const word = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|(?<!-)-+$/g, "");
  return word === "" ? "gpu-server" : word;
}

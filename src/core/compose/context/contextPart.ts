import { t } from "@vscode/l10n";
import type { TextPart } from "../../conversation/completion.ts";
import { sanitizeLabel, startOf } from "../../kernel/foreignText.ts";
import type { IconName } from "../../kernel/iconNames.ts";
/** Lines of a document, counted from one; both ends are included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A location in a document as named by an attachment's title. */
interface SourceLocation {
  readonly path: string;
  readonly lines?: LineRange;
}

/** Separates what is attached from its location. */
const separator = " · ";

/** Such as `src/app.ts`, `src/app.ts:3-10` or `parse · src/app.ts:3-10`. */
export function contextTitle({ path, lines }: SourceLocation, symbol?: string): string {
  const range =
    lines === undefined
      ? ""
      : lines.first === lines.last
        ? `:${lines.first}`
        : `:${lines.first}-${lines.last}`;
  return `${symbol === undefined ? "" : `${symbol}${separator}`}${path}${range}`;
}

/** The title without the folders of its path, for narrow spaces. */
export function shortTitle(title: string): string {
  const { path } = parseContextTitle(title);
  const name = path.split(/[\\/]/).at(-1) ?? "";
  const start = title.lastIndexOf(path);
  // A path has no space around its slashes; a sentence may.
  return name === "" || /\s[\\/]|[\\/]\s/.test(path) || start < 0
    ? title
    : `${title.slice(0, start)}${name}${title.slice(start + path.length)}`;
}

/** The location that a title names. Any text is taken for a path, whether or not such a file exists. */
export function parseContextTitle(title: string): SourceLocation {
  const location = title.slice(title.lastIndexOf(separator) < 0 ? 0 : title.lastIndexOf(separator) + 3);
  const match = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(location);
  if (match?.[1] === undefined) return { path: location };
  const first = Number(match[2]);
  return { path: match[1], lines: { first, last: Math.max(first, Number(match[3] ?? first)) } };
}

/** The text as a Markdown code block, with a fence longer than any run of backticks inside. */
export function fenced(text: string, tag: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${tag}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`;
}

const tagsByName: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  makefile: "makefile",
  gemfile: "ruby",
  rakefile: "ruby",
  jenkinsfile: "groovy",
};

/**
 * The tag of a code block for this file: its extension, which every Markdown reader recognizes, otherwise its language.
 */
export function fenceTag(path: string, languageId = ""): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  const extension = /.\.([a-z0-9+#_-]{1,12})$/.exec(name)?.[1];
  const known = Object.hasOwn(tagsByName, name) ? tagsByName[name] : undefined;
  return known ?? extension ?? (/^[a-z0-9+#_-]{1,24}$/.test(languageId) ? languageId : "");
}

/** A problem that the editor reports at one location. Lines and columns are counted from one. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  /** Who reports it, such as `ts`, and the number of the problem. */
  readonly source?: string;
  readonly code?: string;
}

/** Maximum number of problems in one attachment. */
export const maxProblems = 200;

const order: readonly Problem["severity"][] = ["error", "warning", "information", "hint"];

/** One problem per line, the worst first, in the format of compilers, followed by how many were left out. */
export function formatProblems(problems: readonly Problem[]): string {
  const sorted = problems.toSorted(
    (a, b) =>
      order.indexOf(a.severity) - order.indexOf(b.severity) ||
      (a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1),
  );
  const lines = sorted.slice(0, maxProblems).map(problemLine);
  const left = problems.length - lines.length;
  return [...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
}

function problemLine({ path, line, column, severity, message, source, code }: Problem): string {
  const origin = [source, code].filter((word) => word !== undefined && word !== "").join(" ");
  const words = message.replace(/\r?\n/g, "\n    ");
  return `${path}:${line}:${column} ${severity}: ${words}${origin === "" ? "" : ` (${origin})`}`;
}

/** Maximum UTF-16 units of a path or a name. */
const longestName = 1_000;
/** Maximum UTF-16 units of a server's facts, more than any meaningful ones have. */
const longestRecord = 100_000;

/** A whole file, or the lines of it that `location` names. The headings are read by models and are never translated. */
export function filePart(location: SourceLocation, text: string, languageId?: string): TextPart {
  return codePart(location.lines === undefined ? "File" : "Selection", location, text, { languageId });
}

/** A notebook as text. */
export function notebookPart(path: string, cells: string): TextPart {
  return { type: "text", text: `Notebook ${inlineCode(path)}:\n\n${cells}`, title: path };
}

/** A text from outside VS Code of which only the file name is known. Its title doesn't link to a file of that name. */
export function foreignFilePart(name: string, text: string): TextPart {
  return { ...filePart({ path: name }, text), title: t("{0} (copy)", sanitizeLabel(name, longestName)) };
}

/** A function, class or other named symbol. */
export function symbolPart(
  symbol: string,
  location: SourceLocation,
  text: string,
  languageId?: string,
): TextPart {
  return codePart("Symbol", location, text, { symbol: sanitizeLabel(symbol, longestName), languageId });
}

interface CodeFacts {
  readonly symbol?: string;
  readonly languageId?: string | undefined;
}

function codePart(head: string, location: SourceLocation, text: string, facts: CodeFacts): TextPart {
  const { symbol, languageId } = facts;
  const name = symbol === undefined ? "" : `${inlineCode(symbol)} in `;
  return {
    type: "text",
    text: `${head} ${name}${locationLabel(location)}:\n\n${fenced(text, fenceTag(location.path, languageId))}`,
    title: contextTitle(location, symbol),
  };
}

/** The contents of a folder, one entry per line. */
export function folderPart(path: string, tree: string): TextPart {
  const name = `${path.replace(/(?<!\/)\/+$/, "")}/`;
  return { type: "text", text: `Folder ${inlineCode(name)}:\n\n${fenced(tree, "")}`, title: name };
}

/** The problems that the editor reports; `where` is a path, or undefined for the whole workspace. */
export function problemsPart(where: string | undefined, lines: string): TextPart {
  const [head, title] =
    where === undefined
      ? ["Problems in the workspace", t("Problems in the workspace")]
      : [`Problems in ${inlineCode(where)}`, t("Problems in {0}", where)];
  return { type: "text", text: `${head}:\n\n${fenced(lines, "")}`, title };
}

/** The selected output of a terminal as an attachment. */
export function terminalPart(terminal: string, text: string): TextPart {
  // A terminal has no name until its program is known, and can be renamed to nothing.
  const name = sanitizeLabel(terminal, longestName);
  const head = name === "" ? "Terminal" : `Terminal ${inlineCode(name)}`;
  return {
    type: "text",
    text: `${head}, selected output:\n\n${fenced(text, "console")}`,
    title: name === "" ? t("Terminal selection") : t("Terminal selection ({0})", name),
  };
}

/** Changes against the last commit; each is left out if there are none. */
export interface GitChanges {
  readonly staged?: string;
  readonly unstaged?: string;
  /** The paths of new files, which have no diff. */
  readonly untracked?: readonly string[];
}

/** Undefined if nothing has changed. */
export function diffPart(repository: string, { staged, unstaged }: GitChanges): TextPart | undefined {
  const sections = [
    ...(staged ? [`Git diff of ${inlineCode(repository)}, staged:\n\n${fenced(staged, "diff")}`] : []),
    ...(unstaged
      ? [`Git diff of ${inlineCode(repository)}, not staged:\n\n${fenced(unstaged, "diff")}`]
      : []),
  ];
  if (sections.length === 0) return undefined;
  return {
    type: "text",
    text: sections.join("\n\n"),
    title:
      staged && !unstaged
        ? t("Staged changes in {0}", repository)
        : !staged
          ? t("Unstaged changes in {0}", repository)
          : t("Changes in {0}", repository),
  };
}

/** A server as described by its gateway. */
interface ServerContext {
  readonly name: string;
  readonly profileName: string;
  /** The host of its gateway. */
  readonly gateway: string | undefined;
  /** When it was listed, in milliseconds since 1970. */
  readonly listedAt: number | undefined;
  /** The facts, as JSON. */
  readonly facts: string;
}

/** Facts about a server with their sources. They come from the gateway, not from the user. */
export function serverPart({ name, profileName, gateway, listedAt, facts }: ServerContext): TextPart {
  const from = gateway === undefined ? "its gateway" : `the gateway ${inlineCode(gateway)}`;
  const time = listedAt === undefined ? "" : ` at ${new Date(listedAt).toISOString()}`;
  const head = `GPU server ${inlineCode(name)} of the profile ${inlineCode(profileName)}: facts that ${from} listed${time}`;
  const text = facts.length > longestRecord ? `${startOf(facts, longestRecord)}\n… (cut)` : facts;
  const title = t("GPU server {0}", sanitizeLabel(name, 100));
  return { type: "text", text: `${head}:\n\n${fenced(text, "json")}`, title };
}

/** The codicon for an attached text, derived from its heading. */
export function contextIcon(text: string): IconName {
  const head = /^[A-Za-z]+/.exec(text)?.[0] ?? "";
  return (Object.hasOwn(icons, head) ? icons[head] : undefined) ?? "file";
}

const icons: Readonly<Record<string, IconName>> = {
  File: "file-code",
  Selection: "list-selection",
  Symbol: "symbol-method",
  Folder: "folder",
  Problems: "warning",
  Terminal: "terminal",
  Git: "git-compare",
  GPU: "server",
  Pasted: "note",
};

function locationLabel({ path, lines }: SourceLocation): string {
  return `${inlineCode(path)}${lines === undefined ? "" : `, ${linesLabel(lines)}`}`;
}

function linesLabel({ first, last }: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** Formats a name as one line of inline code, whatever it contains. */
function inlineCode(name: string): string {
  const clean = sanitizeLabel(name, longestName);
  return clean.includes("`") ? `\`\` ${clean} \`\`` : `\`${clean}\``;
}
/** An entry of a folder; the children of a folder that was not read are absent. */
export interface TreeEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly children?: readonly TreeEntry[];
}

/** The entries as indented lines, folders first, each folder with a trailing slash. */
export function formatTree(entries: readonly TreeEntry[], indent = ""): string {
  return entries
    .toSorted((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1))
    .map(({ name, isFolder, children }) => {
      const line = `${indent}${name}${isFolder ? "/" : ""}`;
      if (!isFolder) return line;
      if (children === undefined) return `${line} …`;
      return children.length === 0 ? line : `${line}\n${formatTree(children, `${indent}  `)}`;
    })
    .join("\n");
}

import { isRecord, parseJson } from "../../kernel/json.ts";
import type { Pause } from "../../kernel/pause.ts";
import { parentsFirst } from "../import/imported.ts";
import { parseHead, parseRevision } from "./keptLines.ts";
import type { KeptHead, KeptMessage, Revision } from "./keptLines.ts";

/**
 * A conversation as a text file in a repository: one JSON object per line, only ever appended to. Two branches that
 * have both continued it are merged by taking all lines of both (`merge=union`), because nothing depends on the order
 * of the lines. Messages are identified by their IDs, and images and audio by the hashes of their contents.
 */

/** The end of the file names: a contract, because files in repositories outlive versions of this code. */
export const keptFileEnding = ".gateway-chat.jsonl";

/** The contents of the file, independent of the order and repetition of its lines. */
export interface KeptContents {
  /** Undefined if no line contains one. */
  readonly head: KeptHead | undefined;
  /** In the order in which they were written, so that a parent comes before its children. */
  readonly messages: readonly KeptMessage[];
  /** The latest revision of each message, by ID. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Lines that can't be read. They stay in the file. */
  readonly damagedLines: number;
}

/** Reads the file. Conflict markers and repeated lines are skipped, and a damaged line affects no other one. */
export async function readKeptFile(text: string, pause: Pause): Promise<KeptContents> {
  let head: { readonly value: KeptHead; readonly line: string } | undefined;
  let damagedLines = 0;
  const latest = new Map<string, Revision>();
  for (const line of linesOf(text)) {
    await pause();
    const record = parseJson(line);
    const value = isRecord(record) ? parseHead(record) : undefined;
    const revision = isRecord(record) && value === undefined ? parseRevision(record, line) : undefined;
    if (value !== undefined) {
      if (head === undefined || isLater([value.changedAt, line], [head.value.changedAt, head.line]))
        head = { value, line };
    } else if (revision === undefined) damagedLines++;
    else {
      const known = latest.get(revision.message.id);
      if (known === undefined || isLater([revision.number, line], [known.number, known.line]))
        latest.set(revision.message.id, revision);
    }
  }
  return {
    head: head?.value,
    messages: inOrder([...latest.values()].map(({ message }) => message)),
    revisions: new Map([...latest].map(([id, { number }]) => [id, number])),
    damagedLines,
  };
}

/**
 * Two branches may have written different lines with the same number. The text decides, so that every reader agrees.
 */
function isLater(
  [left, leftLine]: readonly [number, string],
  [right, line]: readonly [number, string],
): boolean {
  return left === right ? leftLine > line : left > right;
}

/**
 * The text with the missing ones of these lines appended. This also resolves conflicts, because their markers are
 * removed.
 */
export function appendLines(text: string, lines: readonly string[]): string {
  const known = new Set(linesOf(text));
  const added = lines.filter((line) => {
    const isNew = !known.has(line);
    known.add(line);
    return isNew;
  });
  const rest = marker.test(text)
    ? text
        .split("\n")
        .filter((line) => !marker.test(line))
        .join("\n")
    : text;
  const end = rest === "" || rest.endsWith("\n") ? "" : "\n";
  return added.length === 0 && rest === text
    ? text
    : `${rest}${end}${added.map((line) => `${line}\n`).join("")}`;
}

/** The lines that Git adds around a conflict. No line of ours starts like this. */
const marker = /^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)/m;

function* linesOf(text: string): Generator<string> {
  for (let start = text.startsWith("\uFEFF") ? 1 : 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? text.length : end);
    start = end === -1 ? text.length : end + 1;
    const content = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (content.trim() !== "" && !marker.test(content)) yield content;
  }
}

/**
 * By time, but with every parent before its children. A message whose parent is missing, because its line is damaged,
 * follows the message before it. The result depends on nothing but the messages.
 */
function inOrder(messages: readonly KeptMessage[]): readonly KeptMessage[] {
  const byTime = messages.toSorted(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  );
  return parentsFirst(byTime, "previous");
}

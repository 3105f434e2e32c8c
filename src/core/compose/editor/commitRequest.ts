import { CodeReply } from "./codeReply.ts";
import { fenced } from "../context/contextPart.ts";
import type { CompletionMessage } from "../../conversation/completion.ts";
import { sanitizeLabel, startOf } from "../../kernel/foreignText.ts";

/** UTF-16 units of a diff that are sent. */
const longestDiff = 60_000;
/** UTF-16 units below which a file isn't cut further; only the names of more files are sent. */
const shortestFile = 400;
/** Recent commits whose style is followed. */
const mostSubjects = 15;

/** Never translated. */
const instruction =
  "Write a commit message for the attached diff: a summary in the imperative of at most 72 characters and, where it helps, a blank line and a short body that says why. Answer with the message alone, in one code block.";

interface CommitFacts {
  /** In the format of Git. */
  readonly diff: string;
  /** Recent commit messages, the latest first. */
  readonly messages: readonly string[];
  /** What the user has already written; empty if nothing. */
  readonly draft: string;
}

/** The request for a commit message. */
export function commitMessages({ diff, messages, draft }: CommitFacts): readonly CompletionMessage[] {
  const subjects = messages
    .slice(0, mostSubjects)
    .map((message) => sanitizeLabel(message.split("\n", 1)[0] ?? "", 120));
  const content = [
    instruction,
    ...(subjects.length === 0
      ? []
      : [
          `Follow the conventions of the recent commits of this repository, such as prefixes, capitalization and language:\n\n${fenced(subjects.join("\n"), "")}`,
        ]),
    ...(draft.trim() === ""
      ? []
      : [`The author has begun to write this message:\n\n${fenced(startOf(draft.trim(), 2_000), "")}`]),
  ].join("\n\n");
  const title = "diff";
  // A part of its own can be cut further for a model that reads less.
  const part = { type: "text", title, text: `The diff:\n\n${fenced(boundDiff(diff), title)}` } as const;
  return [{ role: "user", content: [{ type: "text", text: content }, part] }];
}

/** The diff with its longest files cut, so that something of every file remains. */
export function boundDiff(diff: string, longest = longestDiff): string {
  if (diff.length <= longest) return diff;
  const files = diff.split(/^(?=diff --git )/m).filter((file) => file !== "");
  const shown = files.slice(0, Math.max(1, Math.floor(longest / shortestFile)));
  const share = fairShare(
    shown.map(({ length }) => length),
    longest,
  );
  const others = files.slice(shown.length).map((file) => file.slice(0, file.indexOf("\n")).slice(0, 200));
  return [
    ...shown.map((file) => cutFile(file, share)),
    ...others.slice(0, 200).map((line) => `${line}\n`),
  ].join("");
}

/** The length to which the longest are cut so that all of them together are as long as allowed. */
export function fairShare(lengths: readonly number[], longest: number): number {
  let left = longest;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return longest;
}

function cutFile(file: string, share: number): string {
  if (file.length <= share) return file;
  const head = file.slice(0, share);
  const kept = head.slice(0, head.lastIndexOf("\n") + 1) || `${startOf(file, share)}\n`;
  const left = file.slice(kept.length).split("\n").length - 1;
  return `${kept}… ${Math.max(1, left)} more lines of this file\n`;
}

/** UTF-16 units of the longest commit message that anyone would write. */
const longestMessage = 10_000;

/** How models introduce a commit message. */
const preamble = /^(?:sure|certainly|of course|okay|here|based on|commit message)\b/i;

/** What models put around a message or in front of its parts. A line that begins with `#` would be a comment for Git. */
const decorations: readonly RegExp[] = [
  /^#{1,3} (?=\S)/,
  /^\**(?:commit message|subject(?: line)?|summary|title)\s{0,3}[:：]\**\s*(?=\S)/i,
  /^\*\*([^\n*]{1,200})\*\*(?=\n|$)/,
  /^["“]([^\n"“”]{1,200})["”](?=\n|$)/,
  /^`([^\n`]{1,200})`(?=\n|$)/,
];
const bodyLabel = /\n\n\**(?:body|description)\s{0,3}[:：]\**\s*(?=\S)/i;

/** A command with the paragraphs of the message. */
const command = /^\$? ?git commit\b/;
const paragraphs = /-m ?(["'])((?:(?!\1).){1,5000})\1/gs;

/**
 * The commit message in a response, without an introduction: the content of its first code block if nothing else precedes
 * it, otherwise all of it. Undefined if it isn't a commit message.
 */
export function commitMessageOf(response: string): string | undefined {
  const [first = "", ...others] = response.trim().split("\n");
  // No subject of a commit ends with a colon or a period and is followed by a code block.
  const isIntroduced = /^\s*(?:```|~~~)/.test(others.join("\n"))
    ? /[:：.!。！]\**\s?$/.test(first)
    : others.length > 0 && preamble.test(first.replace(/^\**/, "")) && /[:：]\**\s?$/.test(first);
  // In Markdown, a fence counts only at the beginning.
  const reply = new CodeReply({ isMarkdown: true });
  reply.push(isIntroduced ? others.join("\n") : response);
  reply.finish();
  const whole = (reply.hasMore && !isIntroduced ? response : reply.code).trim();
  const parts = command.test(whole) ? [...whole.matchAll(paragraphs)].map(([, , text]) => text) : [];
  const message = parts.length > 0 ? parts.join("\n\n") : whole;
  if (message === "" || message.length > longestMessage || reply.isProse) return undefined;
  const plain = decorations.reduce(
    (text, pattern) =>
      text.replace(pattern, (_, inner?: unknown) => (typeof inner === "string" ? inner : "")),
    message,
  );
  return plain === message ? plain : plain.replace(bodyLabel, "\n\n").trim();
}

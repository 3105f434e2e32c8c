import { apology, CodeReply } from "./codeReply.ts";
import { fenced } from "../context/contextPart.ts";
import type { CompletionMessage } from "../../conversation/completion.ts";
import { sanitizeLabel, startOf } from "../../kernel/foreignText.ts";
import { isRecord, parseJson, stringField } from "../../kernel/json.ts";

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

/** How models introduce a commit message. Any line with a colon does, unless a list follows. */
const preamble = /^\W{0,4}(?:sure|certainly|of course|okay|here|based on|(?:\w+ )?commit message)\b[^\n]*$/i;
const heading =
  /^[#*\s]*(?:here(?:['’]s| is) )?(?:(?:a|the|your|my) )?(?:(?:suggested|proposed|git) )?commit message[.!*\s]*$/i;
/** What they say instead of one, and after one. */
const refusal =
  /^(?:please (?:provide|share)|the diff (?:is|seems)|(?:there (?:are|were) )?no (?:staged )?changes (?:to|in|were|detected|found)|it (?:looks|seems)|I (?:do|need|can)|没有(?:检测|发现|任何))/i;
const remark =
  /\n(?:---\n[^]*|\n(?:let me know|feel free|would you like|I hope|this (?:commit )?message)\b[^\n]*)$/i;

/** What models put around a message or in front of its parts. A line that begins with `#` would be a comment for Git. */
const decorations: readonly RegExp[] = [
  /^#{1,3} (?=\S)/,
  /^(?:[-*+>]|1\.) (?=[^\n]{1,200}$)/,
  /^(?:"""|---)\n/,
  /\n(?:"""|---)$|^([^`]*)\n```$/,
  /^[*_]*(?:(?:here(?:['’]s| is) )?(?:(?:a|the|your|my) )?(?:(?:suggested|proposed|git) )?commit(?: message)?|subject(?: line)?|summary|title|(?:建议的)?提交信息)[*_]*\s{0,3}[:：][*_]*\s*(?=\S)/i,
  /^(?:\*{2,3}|_{2})([^\n*]{1,200}?)(?:\*{2,3}|_{2})(?=\n|$)/,
  /^["“]([^\n"“”]{1,200})["”](?=\n|$)/,
  /^['‘「]([^\n'‘’「」]{1,200})['’」](?=\n|$)/,
  /^`{1,3}([^\n`]{1,200})`{1,3}(?=\n|$)/,
  /^<(?:commit|message|answer|output)[\w-]{0,20}>([^]*)<\/[\w-]{1,30}>$/,
];
const bodyLabel = /\n\n[*_]*(?:body|description|details)[*_]*\s{0,3}[:：][*_]*\s*(?=\S)/i;

/** A command with the paragraphs of the message, possibly after the one that stages the changes. */
const command = /^(?:\$? ?git add [^\n&]{1,200}(?:\n| && ))?\$? ?git commit\b/;
const paragraphs = /(?:-a?m|--message)[ =]?(["'])(?!\$\()((?:(?!\1).){1,5000})\1/gs;
const hereDocument = /<<-?\s?["']?(\w{1,20})["']?\n([^]{1,5000}?)\n\s{0,9}\1\b/g;

/**
 * The commit message in a response, without an introduction: the content of its first code block if nothing else precedes
 * it, otherwise all of it. Undefined if it isn't a commit message.
 */
export function commitMessageOf(response: string): string | undefined {
  const [first = "", ...others] = response.trim().split("\n");
  const rest = others.join("\n");
  const isColon = /[:：]\**\s?$/.test(first);
  // No subject of a commit ends with a colon or a period and is followed by a code block.
  const isIntroduced = /^\s*(?:```|~~~)/.test(rest)
    ? /[:：.!。！]\**\s?$/.test(first) || heading.test(first)
    : rest.trim() !== "" &&
      (heading.test(first) || (isColon && (preamble.test(first) || !/^\s*(?:[-*+•]|\d+[.)]) /.test(rest))));
  // In Markdown, a fence counts only at the beginning.
  const reply = new CodeReply({ isMarkdown: true });
  reply.push(isIntroduced ? rest : response);
  reply.finish();
  const whole = (reply.blocks.length > 1 && !isIntroduced ? response : reply.code).trim();
  const found = command.test(whole) ? [...whole.matchAll(paragraphs), ...whole.matchAll(hereDocument)] : [];
  const message =
    found.length > 0 ? found.map(([, , text]) => text).join("\n\n") : (messageInJson(whole) ?? whole);
  if (message === "" || message.length > longestMessage || apology.test(message)) return undefined;
  if (refusal.test(message) && /[.。!]$/.test(message)) return undefined;
  const bare = message.replace(remark, "").trim();
  const isQuote = bare.split("\n").every((line) => line.startsWith(">"));
  const plain = decorations.reduce(
    (text, pattern) =>
      text.replace(pattern, (_, inner?: unknown) => (typeof inner === "string" ? inner : "")).trim(),
    isQuote ? bare.replace(/^> ?/gm, "") : bare,
  );
  return plain === bare ? plain : plain.replace(bodyLabel, "\n\n").trim();
}

const subjectNames = ["message", "commit_message", "commitMessage", "commit", "subject", "title", "summary"];
const bodyNames = ["body", "description", "details"];

/** The message in an object; empty as long as the object isn't complete, and undefined if the text isn't one. */
function messageInJson(text: string): string | undefined {
  if (!/^\{\s*(?:"|$)/.test(text)) return undefined;
  const json = parseJson(text);
  const found = [subjectNames, bodyNames].map((names) =>
    names.map((name) => (isRecord(json) ? stringField(json, name) : undefined)).find(Boolean),
  );
  return found[0] === undefined ? "" : found.filter(Boolean).join("\n\n");
}

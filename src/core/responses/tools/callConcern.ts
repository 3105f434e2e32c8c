import { t } from "@vscode/l10n";
import type { Message } from "../../conversation/conversation.ts";
import { splitQuotes } from "../../conversation/quotes.ts";
import type { ForeignText } from "../../conversation/quotes.ts";
import type { ToolDefinition } from "../../conversation/toolPort.ts";
import { isVisible, removeInvisible, sanitizeLabel } from "../../kernel/foreignText.ts";
import { isRecord, parseJson } from "../../kernel/json.ts";
import type { ToolIdentity } from "./toolPermissions.ts";

/**
 * Why a call asks although its tool may run without asking.
 * - `copied` what it does stands in a text that the user didn't type, at `place`, and in nothing that they typed.
 * - `hidden` its arguments contain characters that a reader doesn't see.
 * - `protected` it changes what VS Code, its agents, or a shell do later.
 * - `imported` the call itself comes from an import.
 * - `changed` the tool isn't what the user allowed anymore; `place` names what is different.
 */
export interface CallConcern {
  readonly reason: "copied" | "hidden" | "protected" | "imported" | "changed";
  /** For display. */
  readonly place?: string;
}

/** A call, and what led to it. */
interface ConsideredCall {
  readonly tool: ToolIdentity;
  /** The name that the model uses. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** From the first message to the response with the call. */
  readonly path: readonly Message[];
  readonly definitions: readonly ToolDefinition[];
  /** Whether the text is the path of something that exists in the workspace. */
  isInWorkspace(path: string): Promise<boolean>;
}

/** Shorter values say too little to be an order. */
const shortestOrder = 12;
const mostWords = 200;
/** Orders that are searched for in every text. A call with more of them asks. */
const mostOrders = 2_000;

/** One text in the arguments, with the name of its field in lower case. */
interface Argument {
  readonly field: string;
  readonly text: string;
}

/** Why the call has to be confirmed whatever the user has allowed; undefined if nothing speaks against it. */
export async function findConcern(call: ConsideredCall): Promise<CallConcern | undefined> {
  const given = [...stringsOf(call.input, "")];
  if (call.path.at(-1)?.isImported === true) return { reason: "imported" };
  if (given.some(({ field, text }) => !isVisible(text) || !isVisible(field))) return { reason: "hidden" };
  if (changesConfiguration(call, given)) return { reason: "protected" };
  const place = await copiedFrom(call, given);
  return place === undefined ? undefined : { reason: "copied", place: sanitizeLabel(place, 80) };
}

function* stringsOf(value: unknown, field: string): Generator<Argument> {
  if (typeof value === "string") yield { field, text: value };
  else if (Array.isArray(value)) {
    // Words of a command in a list are one text.
    if (value.length > 1 && value.every((item) => typeof item === "string"))
      yield { field, text: value.join(" ") };
    for (const item of value) yield* stringsOf(item, field);
  } else if (isRecord(value))
    for (const [name, inner] of Object.entries(value)) yield* stringsOf(inner, name.toLowerCase());
}

/** Fields that say what is done, where, or to whom. What is written or searched for isn't an order. */
const orderFields: ReadonlySet<string> = new Set([
  ...["command", "commands", "cmd", "commandline", "script", "shell", "exec", "program", "args", "argv"],
  ...["arguments", "url", "urls", "uri", "link", "href", "endpoint", "host", "hostname", "webhook", "server"],
  ...["to", "cc", "bcc", "recipient", "recipients", "email", "emails", "channel", "phone", "address"],
  ...["path", "paths", "file", "filepath", "file_path", "filename", "files", "dir", "directory", "folder"],
  ...["destination", "target", "source", "remote", "repo", "repository", "package", "packages", "sql"],
]);
/** Tools that run whatever they are given. */
const runners =
  /(?:^|[_.\-\s]|(?<=[a-z])(?=[A-Z]))(?:run|exec|execute|eval|shell|bash|terminal|python)(?![a-z])/i;
const address = /^(?:[a-z][a-z\d+.-]{1,20}:\/\/\S|mailto:\S|[^\s@/]{1,64}@[^\s@]{1,255}\.[a-z]{2,}$)/i;
const addressInside = /\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'`<>]+/gi;

/** The values that count as orders: whole, the commands of a line, and the addresses in it. */
function ordersOf(name: string, given: readonly Argument[]): readonly string[] {
  const texts = given
    .filter(({ field, text }) => orderFields.has(field) || runners.test(name) || address.test(text.trim()))
    .flatMap(({ text }) => [text, ...text.split(/&&|\|\|?|[;\n]/), ...(text.match(addressInside) ?? [])])
    .map((text) => plain(text).trim());
  return [...new Set(texts)].filter((text) => text.length >= shortestOrder);
}

/** Text in which line breaks and hidden characters don't matter. */
function plain(text: string): string {
  return removeInvisible(text).replace(/\s+/g, " ");
}

interface Source {
  readonly place: string;
  readonly text: string;
  /** Whether it has so much hidden text that it may contain any order. */
  readonly hidesText: boolean;
}

/** As many hidden characters in a row as an order needs, each also as `escapeInvisible` writes it. */
const hiddenText =
  /[\u{e0000}-\u{e01ef}\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\u3164]{12}|(?:\\udb40\\ud[cd][\da-f]{2}|\\u(?:200[b-f]|206[0-4]|fe0[\da-f]|feff|3164)){12}/u;

/** Where an order of the call stands, if the user neither typed it nor let it run before. */
async function copiedFrom(call: ConsideredCall, given: readonly Argument[]): Promise<string | undefined> {
  const { name, path, definitions, isInWorkspace } = call;
  const own = plain(ownTexts(path).join("\n"));
  const orders = ordersOf(name, given).filter((order) => !own.includes(order));
  const words = given.flatMap(({ text }) => plain(text).match(/[\w.-]{5,}/g) ?? []).slice(0, mostWords);
  const sources = foreignTexts(path, definitions);
  if (orders.length > mostOrders && sources.length > 0) return t("text that is too long to compare");
  for (const { place, text, hidesText } of sources) {
    if (!own.includes(name) && isOrderFor(name, words, text)) return place;
    for (const order of orders)
      if ((hidesText || contains(text, order)) && !(await isInWorkspace(order))) return place;
  }
  return undefined;
}

/** Also as a string in JSON, as most tools return it. */
function contains(text: string, order: string): boolean {
  return text.includes(order) || text.includes(JSON.stringify(order).slice(1, -1));
}

/** Only the name of a tool that isn't also a word of a language shows that a text is about the tool. */
const identifier = /^(?=.{6})(?:.*[a-z\d][_.-][a-z\d]|.*[a-z][A-Z])/;
/** UTF-16 units between the name of a tool and its arguments in an order. */
const orderSpan = 200;
const mostMentions = 20;

/** Whether the text names the tool, and close to it a word of the arguments. */
function isOrderFor(name: string, words: readonly string[], text: string): boolean {
  if (!identifier.test(name)) return false;
  let at = text.indexOf(name);
  for (let mentions = 0; at !== -1 && mentions < mostMentions; mentions++) {
    const before = text.slice(Math.max(0, at - orderSpan), at);
    const after = text.slice(at + name.length, at + name.length + orderSpan);
    if (words.some((word) => before.includes(word) || after.includes(word))) return true;
    at = text.indexOf(name, at + name.length);
  }
  return false;
}

/** What the user typed in this conversation. */
function typedTexts(path: readonly Message[]): readonly string[] {
  return path.flatMap((message) =>
    message.role === "user" && message.isImported !== true ? [splitQuotes(message).typed] : [],
  );
}

/** What the user typed, and the arguments of calls that have run. */
function ownTexts(path: readonly Message[]): readonly string[] {
  const done = new Set(
    path.flatMap(({ toolCallId, finishReason }) => (finishReason === "done" ? toolCallId : [])),
  );
  const texts = path
    .filter(({ isImported }) => isImported !== true)
    .flatMap(({ settings, toolCalls }) => [
      settings?.systemPrompt ?? "",
      ...toolCalls
        .filter(({ id }) => done.has(id))
        .flatMap((call) => [...stringsOf(parseJson(call.arguments), "")].map((argument) => argument.text)),
    ]);
  // Every response has the same system prompt.
  return [...new Set([...typedTexts(path), ...texts])];
}

/** Everything else that the model has read, the latest first. */
function foreignTexts(path: readonly Message[], definitions: readonly ToolDefinition[]): readonly Source[] {
  const names = new Map(
    path.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)),
  );
  const sources = path.flatMap((message): readonly ForeignText[] => [
    ...(message.isImported === true
      ? [{ place: t("an imported conversation"), text: message.text }]
      : splitQuotes(message).foreign),
    ...(message.role === "tool"
      ? [
          {
            place: t("the result of {0}", names.get(message.toolCallId ?? "") ?? t("a tool")),
            text: message.text,
          },
        ]
      : []),
    ...message.attachments.flatMap((part) =>
      part.type === "text" ? [{ place: part.title ?? t("an attachment"), text: part.text }] : [],
    ),
  ]);
  const described = definitions.map(({ name, description }) => ({
    place: t("the description of {0}", name),
    text: description,
  }));
  const all = [...sources.toReversed(), ...described].map(toSource);
  // A text about the tools may also speak through a response. Without one, responses only repeat what was asked.
  const isAboutTools = all.find(({ place, text }) =>
    definitions.some(({ name }) => identifier.test(name) && text.includes(name) && !place.includes(name)),
  );
  if (isAboutTools === undefined) return all;
  const place = t("{0}, through a response", isAboutTools.place);
  const responses = path.slice(0, -1).filter(({ role }) => role === "assistant");
  return [...all, ...responses.map(({ text }) => toSource({ place, text }))];
}

function toSource({ place, text }: ForeignText): Source {
  return { place, text: plain(text), hidesText: hiddenText.test(text) };
}

/** What VS Code, its agents, Git or a shell read without asking, in lower case. */
const configurationFiles: readonly string[] = [
  ...[".vscode/", ".code-workspace", "settings.json", "tasks.json", "launch.json", "keybindings.json"],
  ...["mcp.json", ".mcp", "instructions.md", ".prompt.md", ".chatmode.md", ".agent.md", "agents.md"],
  ...["claude.md", "gemini.md", ".cursorrules", ".cursor/", ".clinerules", ".windsurfrules"],
  ...[".devcontainer", ".git/hooks", ".git/config", ".gitconfig", ".husky/", ".envrc", ".bashrc", ".zshrc"],
  ...[".profile", ".ssh/"],
];
const reads = /^(?:.*[_.-])?(?:read|get|list|search|find|view|show|grep|fetch|describe|open|diff)/i;
const readingCommand =
  /^(?:cat|head|tail|less|more|grep|rg|ls|stat|wc|jq|git (?:diff|log|show|status))\b[^>|;&`$]*$/;
/** In the names of tools of VS Code and its extensions. Those of MCP servers have settings and tasks of their own. */
const configured = /(?:settings?|configuration|tasks?|instructions|mcp|extensions?)(?![a-z])/i;
const changes =
  /(?:set|update|change|add|create|install|edit|write|delete|remove|configure|enable)(?=[A-Z_-])/;

function changesConfiguration({ name, tool, path }: ConsideredCall, given: readonly Argument[]): boolean {
  const typed = plain(typedTexts(path).join("\n"));
  const isOfEditor = !tool.provider.startsWith("mcp:");
  if (isOfEditor && configured.test(tool.name) && changes.test(tool.name)) return true;
  return given.some(({ field, text }) => {
    if (!orderFields.has(field) && !runners.test(name)) return false;
    const target = text.toLowerCase().replaceAll("\\", "/");
    // What the user has named is no surprise.
    const isNamed = configurationFiles.some((file) => target.includes(file)) && !typed.includes(plain(text));
    return isNamed && !(runners.test(name) ? readingCommand.test(text.trim()) : reads.test(tool.name));
  });
}

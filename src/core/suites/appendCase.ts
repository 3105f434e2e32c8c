import { t } from "@vscode/l10n";
import { isRecord } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import { parseSuite, placeholder, placeholdersIn } from "./parseSuite.ts";
import { findMapValue } from "./sourceNode.ts";
import type { SourceNode } from "./sourceNode.ts";
import type { Suite, SuiteCase } from "./suite.ts";

/** A conversation that becomes a case, up to the message before the accepted response. */
export interface NewCase {
  readonly name: string;
  readonly model: string;
  readonly system?: string;
  readonly parameters: JsonObject;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly text: string;
    /** Paths relative to the suite. */
    readonly attachments: readonly string[];
  }[];
}

interface AppendedCase {
  readonly text: string;
  readonly added: SuiteCase;
}

/** Port: the nodes of a text; undefined if it isn't YAML. */
type ReadNodes = (text: string) => SourceNode | undefined;

/**
 * The text of a suite with one more case at its end; everything else is left as written. An empty text becomes a new
 * suite. Throws a sentence if the case can't be added to this text.
 */
export function appendCase(text: string, isJson: boolean, test: NewCase, read: ReadNodes): AppendedCase {
  const before = text.trim() === "" ? undefined : parse(text, read);
  const name = freeName(test.name, before?.suite.cases ?? []);
  const entry = caseEntry({ ...test, name }, before?.hasPresets === true);
  const changed = isJson ? appendJson(text, entry) : appendYaml(text, entry, read);
  const added = parse(changed, read)?.suite.cases;
  const last = added?.at(-1);
  // The text may be written in a way that isn't recognized here, such as a list in brackets over several lines.
  const isRight =
    last?.name === name &&
    added?.length === (before?.suite.cases.length ?? 0) + 1 &&
    JSON.stringify(last.messages.map((message) => message.text)) ===
      JSON.stringify(test.messages.map((message) => message.text));
  if (!isRight || last === undefined)
    throw new Error(
      t("The case can't be added to this suite. Correct its problems, or select another file."),
    );
  return { text: changed, added: last };
}

interface ParsedText {
  readonly suite: Suite;
  readonly hasPresets: boolean;
}

function parse(text: string, read: ReadNodes): ParsedText | undefined {
  const root = read(text);
  if (root === undefined) return undefined;
  const hasPresets = root.kind === "map" && findMapValue(root, "presets") !== undefined;
  return { suite: parseSuite(root).suite, hasPresets };
}

function freeName(wanted: string, cases: readonly SuiteCase[]): string {
  const taken = new Set(cases.map(({ name }) => name));
  const base = wanted.trim().slice(0, 190);
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} (${count})`;
    if (!taken.has(name)) return name;
  }
}

function caseEntry(test: NewCase, hasPresets: boolean): JsonObject {
  const { name, model, parameters } = test;
  const texts = [...test.messages.map(({ text }) => text), test.system ?? ""];
  const hasBraces = texts.some((text) => placeholdersIn(text).length > 0);
  const system = test.system === undefined ? undefined : withoutPlaceholders(test.system);
  const messages = test.messages.map(({ role, text, attachments }) => ({
    role,
    content: withoutPlaceholders(text),
    ...(attachments.length === 0 ? {} : { attachments }),
  }));
  const [first, ...others] = messages;
  const { role, content, ...attached } = first ?? { role: "user", content: "" };
  return {
    name,
    models: [model],
    ...(hasPresets ? { presets: [{ name: savedPreset }] } : {}),
    ...(system === undefined ? {} : { system }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(hasBraces ? { variables: { [braces]: "{{" } } : {}),
    ...(others.length === 0 && role === "user" ? { prompt: content, ...attached } : { messages }),
    checks: ["accepted"],
  };
}

/** A placeholder for the braces of text in a message that looks like a variable but isn't one. */
const braces = "braces";

function withoutPlaceholders(text: string): string {
  return text.replace(placeholder, (whole) => `{{${braces}}}${whole.slice(2)}`);
}

/** The preset of a case that doesn't use the presets of its suite. */
const savedPreset = "saved";

function appendJson(text: string, entry: JsonObject): string {
  const value: unknown = text.trim() === "" ? {} : JSON.parse(text.replace(/^\ufeff/, ""));
  if (!isRecord(value)) throw new Error(t("This must be a map of keys and values."));
  const cases = Array.isArray(value["cases"]) ? value["cases"] : [];
  return `${JSON.stringify({ ...value, cases: [...cases, entry] }, undefined, 2)}\n`;
}

function appendYaml(text: string, entry: JsonObject, read: ReadNodes): string {
  const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const root = text.trim() === "" ? undefined : read(ended);
  const list = root?.kind === "map" ? findMapValue(root, "cases") : undefined;
  if (list === undefined) return `${ended}cases:\n${yamlItem(entry, "  ")}`;
  if (list.kind !== "list" || list.items.length === 0) {
    const rest = ended.slice(list.end);
    if (list.kind === "list" && /^\[?\s*\]\s*$/.test(rest))
      return `${ended.slice(0, list.start).trimEnd()}\n${yamlItem(entry, "  ")}`;
    // A missing value begins right after its key.
    const isLast = rest
      .replace(/^:/, "")
      .split("\n")
      .every((line) => /^\s*(?:#|$)/.test(line));
    return isLast ? `${ended}${yamlItem(entry, "  ")}` : ended;
  }
  const lineStart = ended.lastIndexOf("\n", list.start - 1) + 1;
  const indent = ended.slice(lineStart, list.start);
  if (indent.trim() !== "" || ended[list.start] !== "-") return ended;
  const afterLast = ended[list.end - 1] === "\n" ? list.end : ended.indexOf("\n", list.end) + 1;
  return `${ended.slice(0, afterLast)}${yamlItem(entry, indent)}${ended.slice(afterLast)}`;
}

function yamlItem(entry: JsonObject, indent: string): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key}: ${yamlValue(value, `${indent}  `)}`);
  return `${indent}- ${lines.join(`\n${indent}  `)}\n`;
}

/** JSON is valid YAML, so only multi-line texts and lists are written differently. */
function yamlValue(value: JsonObject[string], indent: string): string {
  if (typeof value === "string") return yamlText(value, indent);
  if (!Array.isArray(value) || !value.some(isRecord)) return JSON.stringify(value);
  const items = value.map((item: JsonObject[string]) =>
    isRecord(item) && !Array.isArray(item) ? yamlItem(item, `${indent}  `).trimEnd() : JSON.stringify(item),
  );
  return `\n${items.join("\n")}`;
}

/** Characters that a multi-line block can't contain; a text with them is written with escapes. */
const unwritable = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\u{10000}-\u{10ffff}]/u;

function yamlText(text: string, indent: string): string {
  const isBlock = text.includes("\n") && /^[^\s#]/.test(text) && /\S$/.test(text) && !unwritable.test(text);
  if (!isBlock) return JSON.stringify(text);
  const lines = text.split("\n").map((line) => (line === "" ? "" : `${indent}  ${line}`));
  return `|-\n${lines.join("\n")}`;
}

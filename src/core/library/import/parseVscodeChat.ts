import type { ContentPart, ToolCall } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { encodeBase64 } from "../../kernel/base64.ts";
import { isRecord, parseJson, stringField } from "../../kernel/json.ts";
import {
  importedArguments,
  chainMessages,
  dataUrlImage,
  importedMessage,
  importedTitle,
  listField,
  mediaOf,
  nothingImported,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parses a chat that VS Code has exported, or stored as a session. */
export function parseVscodeChat(record: Fields, file: ImportFile): Imported {
  const requests = listField(record, "requests");
  let leftOut = 0;
  const messages = requests.flatMap((request, index): readonly Message[] => {
    if (!isRecord(request)) leftOut++;
    if (!isRecord(request) || request["isHidden"] === true) return [];
    const createdAt = readDate(request, "timestamp") ?? file.modifiedAt + index;
    const id = stringField(request, "requestId") ?? `request-${index}`;
    const { attachments, missing } = readVariables(request);
    leftOut += missing;
    const text = readRequest(request["message"]);
    const question = importedMessage({ id, role: "user", createdAt, text, attachments });
    const response = new Response(request, id, createdAt);
    leftOut += response.leftOut;
    return text === "" && attachments.length === 0 ? response.messages : [question, ...response.messages];
  });
  if (messages.length === 0) return { ...nothingImported, leftOut };
  const createdAt = readDate(record, "creationDate") ?? messages[0]?.createdAt ?? file.modifiedAt;
  const conversation: Conversation = {
    id: `vscode-${stringField(record, "sessionId") ?? messages[0]?.id ?? ""}`,
    title: importedTitle(
      stringField(record, "customTitle") ?? stringField(record, "computedTitle"),
      messages,
    ),
    createdAt,
    updatedAt: readDate(record, "lastMessageDate") ?? messages.at(-1)?.createdAt ?? createdAt,
    messages: chainMessages(messages),
  };
  return { conversations: [conversation], leftOut };
}

/**
 * The session that a log of VS Code describes: a line with the whole session, then lines with the changes since then.
 * Undefined for any other text. A line that can't be understood changes nothing.
 */
export function replaySessionLog(text: string): unknown {
  if (!/^\s*\{\s*"kind"\s*:\s*0\s*,/.test(text.slice(0, 200))) return undefined;
  const root: { session?: unknown } = {};
  for (const line of text.split("\n")) {
    const entry = parseJson(line);
    if (!isRecord(entry)) continue;
    const path = entry["kind"] === 0 ? [] : entry["k"];
    if (Array.isArray(path)) applyEntry(root, ["session", ...path], entry);
  }
  return root.session;
}

/** 0 and 1 set a value, 2 cuts a list at `i` if there is one and appends to it, and 3 removes a value. */
function applyEntry(root: object, path: readonly unknown[], { kind, v, i }: Fields): void {
  let place: unknown = root;
  for (const step of path.slice(0, -1)) place = memberOf(place, step);
  const name = path.at(-1);
  if (typeof place !== "object" || place === null || !isStep(place, name)) return;
  if (kind === 3) Reflect.deleteProperty(place, name);
  if (kind === 0 || kind === 1) Reflect.set(place, name, v);
  if (kind !== 2) return;
  if (memberOf(place, name) === undefined) Reflect.set(place, name, []);
  const list = memberOf(place, name);
  if (!Array.isArray(list)) return;
  if (typeof i === "number" && i >= 0 && i < list.length) list.length = Math.floor(i);
  if (Array.isArray(v)) for (const item of v) list.push(item);
}

function memberOf(place: unknown, step: unknown): unknown {
  const isThere = typeof place === "object" && place !== null && isStep(place, step);
  return isThere && Object.hasOwn(place, step) ? Reflect.get(place, step) : undefined;
}

/** A new member of a list can only be appended directly after its last one. */
function isStep(place: object, step: unknown): step is string | number {
  if (!Array.isArray(place)) return typeof step === "string" && step !== "__proto__";
  return typeof step === "number" && Number.isInteger(step) && step >= 0 && step <= place.length;
}

function readRequest(message: unknown): string {
  if (typeof message === "string") return message;
  if (!isRecord(message)) return "";
  const text = stringField(message, "text");
  if (text !== undefined) return text;
  return listField(message, "parts")
    .flatMap((part) => (isRecord(part) ? (stringField(part, "text") ?? []) : []))
    .join("");
}

/** Pasted texts and images. Of files, only the names are exported. */
function readVariables(request: Fields): {
  readonly attachments: readonly ContentPart[];
  readonly missing: number;
} {
  const data = request["variableData"];
  const variables = isRecord(data) ? listField(data, "variables").filter(isRecord) : [];
  let missing = 0;
  const attachments = variables.flatMap((variable): readonly ContentPart[] => {
    const { kind, value } = variable;
    const title = stringField(variable, "name");
    const named = title === undefined ? {} : { title };
    const text =
      stringField(variable, "code") ?? (typeof value === "string" && kind !== "image" ? value : undefined);
    if (text !== undefined && text !== "") return [{ type: "text", text, ...named }];
    const media = kind === "image" ? readImage(value) : [];
    if (media.length === 0 && kind !== "tool" && kind !== "toolset" && kind !== "implicit") missing++;
    return media.map((part) => ({ ...part, ...named }));
  });
  return { attachments, missing };
}

/** The bytes of an image: as base64, or as a list or table of numbers. */
function readImage(value: unknown): readonly ContentPart[] {
  if (typeof value === "string") return value.startsWith("data:") ? dataUrlImage(value) : mediaOf(value);
  if (!isRecord(value)) return [];
  const encoded = stringField(value, "$base64") ?? stringField(value, "data");
  if (encoded !== undefined) return mediaOf(encoded);
  const bytes = Array.isArray(value["data"]) ? value["data"] : Object.values(value);
  const isBytes = bytes.every((byte) => typeof byte === "number" && byte >= 0 && byte < 256);
  return isBytes
    ? mediaOf(padded(encodeBase64(bytes.map((byte) => String.fromCharCode(Number(byte))).join(""))))
    : [];
}

function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, "=");
}

/** The messages of one response: what follows a tool call is a message of its own. */
class Response {
  readonly messages: Message[] = [];
  leftOut = 0;
  readonly #id: string;
  readonly #createdAt: number;
  readonly #model: string | undefined;
  #text = "";
  #reasoning = "";
  #calls: ToolCall[] = [];
  #results: Message[] = [];

  constructor(request: Fields, id: string, createdAt: number) {
    this.#id = stringField(request, "responseId") ?? `${id}-response`;
    this.#createdAt = createdAt;
    this.#model = stringField(request, "modelId")?.replace(/^copilot\//, "");
    for (const part of listField(request, "response")) {
      if (isRecord(part)) this.#take(part);
      else this.leftOut++;
    }
    const error = isRecord(request["result"]) ? request["result"]["errorDetails"] : undefined;
    const message = isRecord(error) ? stringField(error, "message") : undefined;
    this.#flush(message !== undefined, isCanceled(request) ? { status: "stopped" } : failure(message));
  }

  #take(part: Fields): void {
    switch (part["kind"]) {
      case undefined:
      case "markdownContent":
      case "markdownVuln":
      case "warning":
        return this.#add(textOf(part["content"] ?? part));
      case "thinking": {
        const { value } = part;
        const texts = Array.isArray(value) ? value : [value];
        this.#reasoning += texts.filter((text) => typeof text === "string").join("\n\n");
        return;
      }
      case "inlineReference":
        return this.#add(`\`${referenceName(part)}\``);
      case "textEditGroup":
        return this.#add(editsOf(part));
      case "toolInvocationSerialized":
        return this.#takeCall(part);
      case "confirmation":
        return this.#add([part["title"], part["message"]].map(textOf).join("\n\n"));
      default:
      // Progress, references, buttons and undo points aren't part of the text.
    }
  }

  #add(text: string): void {
    if (text === "") return;
    if (this.#calls.length > 0) this.#flush(false);
    this.#text += text;
  }

  #takeCall(part: Fields): void {
    const id =
      stringField(part, "toolCallId") ?? `${this.#id}-call-${this.messages.length}-${this.#calls.length}`;
    const details = isRecord(part["resultDetails"]) ? part["resultDetails"] : {};
    const specific = isRecord(part["toolSpecificData"]) ? part["toolSpecificData"] : {};
    const terminal = terminalCommand(specific);
    const input = details["input"] ?? specific["rawInput"] ?? terminal?.input;
    this.#calls.push({
      id,
      name: stringField(part, "toolId") ?? "tool",
      arguments: importedArguments(input),
    });
    const outputs = listField(details, "output")
      .filter(isRecord)
      .flatMap((output) => stringField(output, "value") ?? []);
    const told = textOf(part["pastTenseMessage"] ?? part["invocationMessage"]);
    this.#results.push(
      importedMessage({
        ...{ id: `${id}-result`, role: "tool", createdAt: this.#createdAt, toolCallId: id },
        text: outputs.length > 0 ? outputs.join("\n\n") : (terminal?.output ?? told),
      }),
    );
  }

  #flush(isNeeded: boolean, fields: Partial<Message> = {}): void {
    if (!isNeeded && this.#text === "" && this.#reasoning === "" && this.#calls.length === 0) return;
    const count = this.messages.length;
    this.messages.push(
      importedMessage({
        ...{
          id: count === 0 ? this.#id : `${this.#id}-${count}`,
          role: "assistant",
          createdAt: this.#createdAt,
        },
        ...{ text: this.#text, reasoning: this.#reasoning, toolCalls: this.#calls },
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...fields,
      }),
      ...this.#results,
    );
    [this.#text, this.#reasoning, this.#calls, this.#results] = ["", "", [], []];
  }
}

/** The command that ran in a terminal, and its output if VS Code has kept it. */
function terminalCommand(
  data: Fields,
): { readonly input: { readonly command: string }; readonly output: string | undefined } | undefined {
  const line = isRecord(data["commandLine"]) ? data["commandLine"] : {};
  const command =
    stringField(line, "userEdited") ?? stringField(line, "toolEdited") ?? stringField(line, "original");
  if (data["kind"] !== "terminal" || command === undefined) return undefined;
  const output = isRecord(data["terminalCommandOutput"]) ? data["terminalCommandOutput"] : {};
  return { input: { command }, output: stringField(output, "text") };
}

function isCanceled(request: Fields): boolean {
  const state = request["modelState"];
  return request["isCanceled"] === true || (isRecord(state) && state["value"] === 2);
}

function failure(message: string | undefined): Partial<Message> {
  return message === undefined ? {} : { status: "failed", error: { reason: "service", message } };
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) ? (stringField(value, "value") ?? "") : "";
}

function referenceName(part: Fields): string {
  const reference = part["inlineReference"];
  const name =
    stringField(part, "name") ?? (isRecord(reference) ? stringField(reference, "name") : undefined);
  if (name !== undefined) return name;
  const uri = isRecord(reference) && isRecord(reference["uri"]) ? reference["uri"] : reference;
  return isRecord(uri) ? (stringField(uri, "path")?.split("/").at(-1) ?? "") : "";
}

/** The new text of an edited file. */
function editsOf(part: Fields): string {
  const uri = part["uri"];
  const path = isRecord(uri) ? (stringField(uri, "path") ?? "") : "";
  const edits = listField(part, "edits").flat().filter(isRecord);
  const text = edits.flatMap((edit) => stringField(edit, "text") ?? []).join("\n");
  if (text === "") return "";
  const marks = text.includes("```") ? "````" : "```";
  return `\n\n\`${path}\`\n\n${marks}\n${text}\n${marks}\n\n`;
}

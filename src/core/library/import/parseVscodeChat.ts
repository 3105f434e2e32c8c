import type { ContentPart } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { encodeBase64 } from "../../kernel/base64.ts";
import { isRecord, parseJson, recordsIn, stringField } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import {
  importedArguments,
  chainMessages,
  dataUrlImage,
  fencedCode,
  importRecords,
  importedConversation,
  importedMessage,
  ImportedTurn,
  listField,
  mediaOf,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported, ImportedMessages } from "./imported.ts";

/** Parses a chat that VS Code has exported, or stored as a session. */
export function parseVscodeChat(record: JsonRecord, file: ImportFile): Imported {
  const { messages, leftOut } = importRecords(listField(record, "requests"), (request, index) => {
    if (request["isHidden"] === true) return { messages: [], leftOut: 0 };
    const createdAt = readDate(request, "timestamp") ?? file.modifiedAt + index;
    const id = stringField(request, "requestId") ?? `request-${index}`;
    const { attachments, missing } = readVariables(request);
    const text = readRequest(request["message"]);
    const question = importedMessage({ id, role: "user", createdAt, text, attachments });
    const response = readResponse(request, id, createdAt);
    const isEmpty = text === "" && attachments.length === 0;
    return {
      messages: [...(isEmpty ? [] : [question]), ...response.messages],
      leftOut: missing + response.leftOut,
    };
  });
  return importedConversation(
    {
      id: `vscode-${stringField(record, "sessionId") ?? messages[0]?.id ?? ""}`,
      title: stringField(record, "customTitle") ?? stringField(record, "computedTitle"),
      createdAt: readDate(record, "creationDate") ?? messages[0]?.createdAt ?? file.modifiedAt,
      updatedAt: readDate(record, "lastMessageDate"),
    },
    { messages: chainMessages(messages), leftOut },
  );
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
function applyEntry(root: object, path: readonly unknown[], { kind, v, i }: JsonRecord): void {
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
  return (
    stringField(message, "text") ??
    recordsIn(message["parts"])
      .flatMap((part) => stringField(part, "text") ?? [])
      .join("")
  );
}

/** Pasted texts and images. Of files, only the names are exported. */
function readVariables(request: JsonRecord): {
  readonly attachments: readonly ContentPart[];
  readonly missing: number;
} {
  const data = request["variableData"];
  const variables = isRecord(data) ? recordsIn(data["variables"]) : [];
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

/** What follows a tool call is a message of its own. */
function readResponse(request: JsonRecord, requestId: string, createdAt: number): ImportedMessages {
  const model = stringField(request, "modelId")?.replace(/^copilot\//, "");
  const id = stringField(request, "responseId") ?? `${requestId}-response`;
  const head = { id, role: "assistant", createdAt, ...(model === undefined ? {} : { model }) } as const;
  const turn = new ImportedTurn(head, "");
  const parts = listField(request, "response");
  for (const part of recordsIn(parts)) takePart(turn, part);
  const error = isRecord(request["result"]) ? request["result"]["errorDetails"] : undefined;
  const message = isRecord(error) ? stringField(error, "message") : undefined;
  turn.end(isCanceled(request) ? { status: "stopped" } : failure(message));
  return { messages: turn.messages, leftOut: parts.length - recordsIn(parts).length };
}

function takePart(turn: ImportedTurn, part: JsonRecord): void {
  switch (part["kind"]) {
    case undefined:
    case "markdownContent":
    case "markdownVuln":
    case "warning":
      return turn.write(textOf(part["content"] ?? part));
    case "thinking": {
      const { value } = part;
      const texts = Array.isArray(value) ? value : [value];
      return turn.think(texts.filter((text) => typeof text === "string").join("\n\n"));
    }
    case "inlineReference":
      return turn.write(`\`${referenceName(part)}\``);
    case "textEditGroup":
      return turn.write(editsOf(part));
    case "toolInvocationSerialized":
      return takeCall(turn, part);
    case "confirmation":
      return turn.write([part["title"], part["message"]].map(textOf).join("\n\n"));
    default:
    // Progress, references, buttons and undo points aren't part of the text.
  }
}

function takeCall(turn: ImportedTurn, part: JsonRecord): void {
  const id = stringField(part, "toolCallId");
  const details = isRecord(part["resultDetails"]) ? part["resultDetails"] : {};
  const specific = isRecord(part["toolSpecificData"]) ? part["toolSpecificData"] : {};
  const terminal = terminalCommand(specific);
  const input = details["input"] ?? specific["rawInput"] ?? terminal?.input;
  turn.call(stringField(part, "toolId") ?? "tool", importedArguments(input), id);
  const outputs = recordsIn(details["output"]).flatMap((output) => stringField(output, "value") ?? []);
  const told = textOf(part["pastTenseMessage"] ?? part["invocationMessage"]);
  turn.result(outputs.length > 0 ? outputs.join("\n\n") : (terminal?.output ?? told), id);
}

/** The command that ran in a terminal, and its output if VS Code has kept it. */
function terminalCommand(
  data: JsonRecord,
): { readonly input: { readonly command: string }; readonly output: string | undefined } | undefined {
  const line = isRecord(data["commandLine"]) ? data["commandLine"] : {};
  const command =
    stringField(line, "userEdited") ?? stringField(line, "toolEdited") ?? stringField(line, "original");
  if (data["kind"] !== "terminal" || command === undefined) return undefined;
  const output = isRecord(data["terminalCommandOutput"]) ? data["terminalCommandOutput"] : {};
  return { input: { command }, output: stringField(output, "text") };
}

function isCanceled(request: JsonRecord): boolean {
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

function referenceName(part: JsonRecord): string {
  const reference = part["inlineReference"];
  const name =
    stringField(part, "name") ?? (isRecord(reference) ? stringField(reference, "name") : undefined);
  if (name !== undefined) return name;
  const uri = isRecord(reference) && isRecord(reference["uri"]) ? reference["uri"] : reference;
  return isRecord(uri) ? (stringField(uri, "path")?.split("/").at(-1) ?? "") : "";
}

/** The new text of an edited file. */
function editsOf(part: JsonRecord): string {
  const uri = part["uri"];
  const path = isRecord(uri) ? (stringField(uri, "path") ?? "") : "";
  const edits = listField(part, "edits").flat().filter(isRecord);
  const text = edits.flatMap((edit) => stringField(edit, "text") ?? []).join("\n");
  return text === "" ? "" : `\n\n\`${path}\`\n\n${fencedCode(text)}\n\n`;
}

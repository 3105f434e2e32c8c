import type { CompletionEvent } from "../../core/conversation/completion.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { parseExtra } from "./content.ts";

type ToolCallEvent = Extract<CompletionEvent, { type: "toolCall" }>;

/** A piece of a tool call as the server sent it; some servers omit the index. */
export interface ToolCallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
  /** What the provider expects back with the call, such as a thought signature. */
  readonly extra?: JsonObject;
}

/** Parses `tool_calls`, or the older `function_call`, of a delta or a message. */
export function parseToolCallPieces(body: JsonRecord): readonly ToolCallPiece[] {
  const calls = body["tool_calls"];
  if (Array.isArray(calls) && calls.length > 0) return calls.filter(isRecord).map(parsePiece);
  const call = body["function_call"];
  return isRecord(call) ? [{ index: 0, ...parseFunction(call) }] : [];
}

function parsePiece(call: JsonRecord): ToolCallPiece {
  const index = parseIndex(call["index"]);
  const id = stringField(call, "id");
  const called = call["function"];
  const extra = parseExtra(call);
  return {
    ...(index === undefined ? {} : { index }),
    ...(id ? { id } : {}),
    ...parseFunction(isRecord(called) ? called : {}),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Some servers write the number as a string. */
function parseIndex(value: unknown): number | undefined {
  const isNumeric = typeof value === "number" || (typeof value === "string" && /^\s*\d{1,9}\s*$/.test(value));
  const index = isNumeric ? Number(value) : -1;
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}

function parseFunction(called: JsonRecord): Pick<ToolCallPiece, "name" | "arguments"> {
  const name = stringField(called, "name");
  return { ...(name ? { name } : {}), arguments: argumentsText(called["arguments"]) };
}

/** JSON text; some servers send the arguments as an object. */
function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}

/**
 * Assigns every piece to the index of its call. Without an index, a name starts a new call and anything else belongs to
 * the last one. Several calls with the same index are distinguished by their IDs, unless the name is missing: some
 * servers create a new ID for every piece.
 */
export function createToolCallNumbering(): (piece: ToolCallPiece) => ToolCallEvent {
  const slots: Slot[] = [];

  function findSlot({ index, id, name }: ToolCallPiece): Slot | undefined {
    const candidates = slots.filter(({ serverIndex }) => index === undefined || serverIndex === index);
    const known = id === undefined ? undefined : candidates.find((slot) => slot.id === id);
    if (known !== undefined) return known;
    const last = candidates.at(-1);
    const isOtherCall = index === undefined || (id !== undefined && last?.id !== undefined);
    return name !== undefined && isOtherCall ? undefined : last;
  }

  function addSlot({ index: serverIndex, id }: ToolCallPiece): Slot {
    const nextIndex = slots.reduce((next, { index }) => Math.max(next, index + 1), 0);
    const isTaken = slots.some(({ index }) => index === serverIndex);
    const slot = { index: isTaken ? nextIndex : (serverIndex ?? nextIndex), serverIndex, id };
    slots.push(slot);
    return slot;
  }

  return (piece) => {
    const slot = findSlot(piece) ?? addSlot(piece);
    slot.id ??= piece.id;
    const { id, name, extra } = piece;
    return {
      type: "toolCall",
      index: slot.index,
      ...(id === undefined ? {} : { id }),
      ...(name === undefined ? {} : { name }),
      arguments: piece.arguments,
      ...(extra === undefined ? {} : { extra }),
    };
  };
}

interface Slot {
  readonly index: number;
  readonly serverIndex: number | undefined;
  id: string | undefined;
}

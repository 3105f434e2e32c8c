import type { CompletionEvent } from "../../core/conversation/completion.ts";
import type { JsonObject, JsonRecord } from "../../core/kernel/json.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { parseExtra } from "./content.ts";

type ToolCallEvent = Extract<CompletionEvent, { type: "toolCall" }>;
type OpenEvent = { -readonly [Name in keyof ToolCallEvent]: ToolCallEvent[Name] };

/** A piece of a tool call as the server sent it; some servers omit the index. */
export interface ToolCallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
  /** What the provider expects back with the call, such as a thought signature. */
  readonly extra?: JsonObject;
}

/** Every token may be a piece, so each is parsed by plain assignments. */
type OpenPiece = { -readonly [Name in keyof ToolCallPiece]: ToolCallPiece[Name] };

/** Parses `tool_calls`, or the older `function_call`, of a delta or a message; undefined if there are none. */
export function parseToolCallPieces(body: JsonRecord): readonly ToolCallPiece[] | undefined {
  const { tool_calls: calls, function_call: call } = body;
  if (Array.isArray(calls) && calls.length > 0) {
    const pieces: ToolCallPiece[] = [];
    for (const item of calls) if (isRecord(item)) pieces.push(parsePiece(item));
    return pieces.length === 0 ? undefined : pieces;
  }
  return isRecord(call) ? [{ index: 0, ...parseFunction(call) }] : undefined;
}

function parsePiece(call: JsonRecord): ToolCallPiece {
  const piece = parseFunction(call["function"]);
  const index = parseIndex(call["index"]);
  if (index !== undefined) piece.index = index;
  const id = stringField(call, "id");
  if (id) piece.id = id;
  const extra = parseExtra(call);
  if (extra !== undefined) piece.extra = extra;
  return piece;
}

/** Some servers write the number as a string. */
function parseIndex(value: unknown): number | undefined {
  const isNumeric = typeof value === "number" || (typeof value === "string" && /^\s*\d{1,9}\s*$/.test(value));
  const index = isNumeric ? Number(value) : -1;
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}

function parseFunction(called: unknown): OpenPiece {
  if (!isRecord(called)) return { arguments: "" };
  const piece: OpenPiece = { arguments: argumentsText(called["arguments"]) };
  const name = stringField(called, "name");
  if (name) piece.name = name;
  return piece;
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
    const isCandidate = ({ serverIndex }: Slot): boolean => index === undefined || serverIndex === index;
    const known = id === undefined ? undefined : slots.find((slot) => slot.id === id && isCandidate(slot));
    if (known !== undefined) return known;
    const last = slots.findLast(isCandidate);
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
    const event: OpenEvent = { type: "toolCall", index: slot.index, arguments: piece.arguments };
    if (piece.id !== undefined) event.id = piece.id;
    if (piece.name !== undefined) event.name = piece.name;
    if (piece.extra !== undefined) event.extra = piece.extra;
    return event;
  };
}

interface Slot {
  readonly index: number;
  readonly serverIndex: number | undefined;
  id: string | undefined;
}

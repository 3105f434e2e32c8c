import type { ProviderFields } from "../../core/conversation/completion.ts";
import { isRecord, parseJsonObject } from "../../core/kernel/json.ts";
import type { JsonObject, JsonRecord, JsonValue } from "../../core/kernel/json.ts";
import type { CompletionChunk } from "./completionChunk.ts";

/** Fields of a piece that grow from chunk to chunk; the others are the same in each, or occur once. */
const growingNames: ReadonlySet<string> = new Set(["text", "summary", "thinking", "data", "signature"]);

/** Assembles what the provider expects back with the message from the chunks that contained it. */
export class ProviderFieldsCollector {
  readonly #names = new Set<string>();
  readonly #details = new Map<string, Record<string, JsonValue>>();
  #detailsName = "reasoning_details";
  #extra: JsonObject = {};
  #isWithCalls = false;
  readonly #parts: ReasoningPart[] = [];
  /** Whether text followed the last part of reasoning, so that any further reasoning is another part. */
  #isPartClosed = false;

  /** Notes that reasoning was between tags in the content, where a server that takes it back expects it. */
  addTagged(): void {
    this.#names.add("content");
  }

  /** Adds a chunk; returns by how many UTF-16 units the fields have grown. */
  add(chunk: CompletionChunk): number {
    if (chunk.reasoningNames !== undefined) for (const name of chunk.reasoningNames) this.#names.add(name);
    if (chunk.toolCalls?.some(({ extra }) => extra !== undefined)) this.#isWithCalls = true;
    if (chunk.reasoningParts !== undefined) this.#addParts(chunk.reasoningParts);
    if (chunk.text !== undefined) this.#isPartClosed = true;
    if (chunk.extra === undefined && chunk.reasoningDetails === undefined) return 0;
    this.#extra = { ...this.#extra, ...chunk.extra };
    this.#detailsName = chunk.detailsName ?? this.#detailsName;
    const pieces = (chunk.reasoningDetails ?? []).filter(isRecord);
    for (const piece of pieces) this.#addPiece(piece, pieces.length === 1);
    return JSON.stringify([chunk.extra, chunk.reasoningDetails]).length;
  }

  /** Undefined if the provider expects nothing back. */
  get fields(): Omit<ProviderFields, "baseUrl" | "model"> | undefined {
    const members: JsonObject = {
      ...this.#extra,
      ...(this.#details.size === 0 ? {} : { [this.#detailsName]: [...this.#details.values()] }),
      ...(this.#parts.length === 0 ? {} : { content: this.#parts.map(({ value }) => value) }),
    };
    const hasMembers = Object.keys(members).length > 0;
    if (this.#names.size === 0 && !hasMembers && !this.#isWithCalls) return undefined;
    return {
      ...(this.#names.size === 0 ? {} : { reasoningNames: [...this.#names] }),
      ...(hasMembers ? { members } : {}),
    };
  }

  /** Adds reasoning in parts of the content, which is sent back in front of the text. */
  #addParts(parts: readonly unknown[]): void {
    for (const part of parts.filter(isRecord)) {
      const value = parseJsonObject(part);
      if (value === undefined) continue;
      let last = this.#parts.at(-1);
      if (last === undefined || this.#isPartClosed || last.type !== value["type"])
        this.#parts.push((last = new ReasoningPart()));
      last.add(value);
      this.#isPartClosed = value["closed"] === true;
    }
  }

  #addPiece(piece: JsonRecord, isAlone: boolean): void {
    const value = parseJsonObject(piece);
    if (value === undefined) return;
    const key = this.#keyOf(value, isAlone);
    const known = this.#details.get(key);
    if (known === undefined) this.#details.set(key, { ...value });
    else grow(known, value);
  }

  /**
   * Pieces with the same index and type belong together. Without an index, a piece continues the last one of its type.
   */
  #keyOf(piece: JsonObject, isAlone: boolean): string {
    const type = String(piece["type"]);
    const { index } = piece;
    if (typeof index === "number" || typeof index === "string") return `${type} ${index}`;
    const [lastKey, last] = [...this.#details].at(-1) ?? [];
    const isSame = last?.["type"] === piece["type"] && (last?.["id"] ?? null) === (piece["id"] ?? null);
    const isOpen = !last?.["signature"] || !(piece["text"] ?? piece["thinking"]);
    return lastKey !== undefined && isAlone && isSame && isOpen ? lastKey : `${type} #${this.#details.size}`;
  }
}

/** The field names for the text of a reasoning part: a string, or a list of texts. */
const listNames: ReadonlySet<string> = new Set(["thinking", "summary", "reasoning", "content"]);

/** A part of the content that arrived in pieces. */
class ReasoningPart {
  readonly #fields: Record<string, JsonValue> = {};
  readonly #lists = new Map<string, JsonValue[]>();

  get type(): JsonValue | undefined {
    return this.#fields["type"];
  }

  get value(): JsonObject {
    return { ...this.#fields, ...Object.fromEntries(this.#lists) };
  }

  add(piece: JsonObject): void {
    const rest: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(piece)) {
      if (listNames.has(name) && Array.isArray(value)) this.#addTexts(name, value);
      else rest[name] = value ?? null;
    }
    grow(this.#fields, rest);
  }

  /** The texts of a list are one text that arrived in pieces. */
  #addTexts(name: string, pieces: readonly JsonValue[]): void {
    const list = this.#lists.get(name) ?? [];
    this.#lists.set(name, list);
    for (const piece of pieces) {
      const last = list.at(-1);
      const isText = isRecord(piece) && isRecord(last) && piece["type"] === last["type"];
      if (isText && typeof piece["text"] === "string" && typeof last["text"] === "string")
        list[list.length - 1] = { ...last, ...piece, text: last["text"] + piece["text"] };
      else list.push(piece);
    }
  }
}

function grow(known: Record<string, JsonValue>, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = known[name];
    const isGrowing = growingNames.has(name) && typeof before === "string" && typeof value === "string";
    if (!isGrowing) known[name] = value ?? before ?? null;
    // A signature may be repeated in full with each piece.
    else if (name !== "signature" || before !== value) known[name] = before + value;
  }
}

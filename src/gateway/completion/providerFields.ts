import type { ProviderFields } from "../../core/conversation/completion.ts";
import type { JsonObject, JsonValue } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { parseJsonObject } from "../../core/kernel/parseJsonValue.ts";
import type { CompletionChunk } from "./completionChunk.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Members of a piece that grow from chunk to chunk; the others say the same in each, or come once. */
const growingNames: ReadonlySet<string> = new Set(["text", "summary", "thinking", "data", "signature"]);

/** Puts together what the provider wants back with the message, from the chunks in which it came. */
export class ProviderFieldsCollector {
  readonly #names = new Set<string>();
  readonly #details = new Map<string, Record<string, JsonValue>>();
  #extra: JsonObject = {};
  #isWithCalls = false;

  /** Returns by how many UTF-16 units the fields have grown. */
  add(chunk: CompletionChunk): number {
    for (const name of chunk.reasoningNames ?? []) this.#names.add(name);
    if (chunk.toolCalls?.some(({ extra }) => extra !== undefined)) this.#isWithCalls = true;
    if (chunk.extra === undefined && chunk.reasoningDetails === undefined) return 0;
    this.#extra = { ...this.#extra, ...chunk.extra };
    const pieces = (chunk.reasoningDetails ?? []).filter(isRecord);
    for (const piece of pieces) this.#addPiece(piece, pieces.length === 1);
    return JSON.stringify([chunk.extra, chunk.reasoningDetails]).length;
  }

  /** Undefined where the provider wants nothing back. */
  get fields(): Omit<ProviderFields, "baseUrl" | "model"> | undefined {
    const members: JsonObject = {
      ...this.#extra,
      ...(this.#details.size === 0 ? {} : { reasoning_details: [...this.#details.values()] }),
    };
    const hasMembers = Object.keys(members).length > 0;
    if (this.#names.size === 0 && !hasMembers && !this.#isWithCalls) return undefined;
    return {
      ...(this.#names.size === 0 ? {} : { reasoningNames: [...this.#names] }),
      ...(hasMembers ? { members } : {}),
    };
  }

  #addPiece(piece: JsonRecord, isAlone: boolean): void {
    const value = parseJsonObject(piece);
    if (value === undefined) return;
    const key = this.#keyOf(value, isAlone);
    const known = this.#details.get(key);
    if (known === undefined) this.#details.set(key, { ...value });
    else grow(known, value);
  }

  /** Pieces of one index and type belong together. Without an index a piece follows on the last one of its type. */
  #keyOf(piece: JsonObject, isAlone: boolean): string {
    const type = String(piece["type"]);
    const { index } = piece;
    if (typeof index === "number" || typeof index === "string") return `${type} ${index}`;
    const [lastKey, last] = [...this.#details].at(-1) ?? [];
    const isSame = last?.["type"] === piece["type"] && (last?.["id"] ?? null) === (piece["id"] ?? null);
    const isOpen = last?.["signature"] === undefined || piece["text"] === undefined;
    return lastKey !== undefined && isAlone && isSame && isOpen ? lastKey : `${type} #${this.#details.size}`;
  }
}

function grow(known: Record<string, JsonValue>, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = known[name];
    const isGrowing = growingNames.has(name) && typeof before === "string" && typeof value === "string";
    if (!isGrowing) known[name] = value ?? before ?? null;
    // A signature may be repeated whole with each piece.
    else if (name !== "signature" || before !== value) known[name] = before + value;
  }
}

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parseJson } from "../../core/kernel/json.ts";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import { parseExchange } from "../../core/responses/exchange/exchangeFields.ts";
import { omittedContent, withBodies } from "../../core/responses/exchange/exchangeLog.ts";
import type {
  ExchangeOwner,
  ExchangeStore,
  KeptExchange,
} from "../../core/responses/exchange/exchangeLog.ts";
import { transact } from "../database/journal.ts";
import { textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import type { Records } from "./recordsFile.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What exchanges belong to: our conversations, or requests of no conversation. */
export type ExchangeSource = "conversation" | "request";

/** Which rows are of a source. */
const conditions: Readonly<Record<ExchangeSource, string>> = {
  conversation: "conversation_id IS NOT NULL",
  request: "conversation_id IS NULL",
};

/** The oldest rows beyond these limits are removed: their number, and the bytes of their compressed data. */
interface ExchangeLimits {
  readonly rows: number;
  readonly bytes: number;
}

const usualLimits: Readonly<Record<ExchangeSource, ExchangeLimits>> = {
  conversation: { rows: 5_000, bytes: 100 * 1024 * 1024 },
  // Nothing but the usage records refers to these.
  request: { rows: 1_000, bytes: 50 * 1024 * 1024 },
};
/** UTF-16 units of the content that is stored, because more would block the host while it is written. */
const maxText = 8 * 1024 * 1024;
/** Nothing stored is longer. Longer data was planted to exhaust memory. */
const maxBytes = 64 * 1024 * 1024;
/** Rows that are changed in one step, so that the host isn't blocked by a long conversation. */
const rowsPerStep = 20;
/** A response with several rounds has one exchange for each; only this many of the latest are read. */
const mostOfMessage = 20;

/** The exchanges of requests, one row each. */
export class ExchangeTable implements ExchangeStore {
  readonly #records: Records;
  readonly #limits: Readonly<Record<ExchangeSource, ExchangeLimits>>;

  constructor(records: Records, limits = usualLimits) {
    this.#records = records;
    this.#limits = limits;
  }

  async find(id: string): Promise<KeptExchange | undefined> {
    const [kept] = await this.#read("id = ?", id);
    return kept;
  }

  ofMessage(conversationId: string, messageId: string): Promise<readonly KeptExchange[]> {
    return this.#read("conversation_id = ? AND message_id = ?", conversationId, messageId);
  }

  /** Rejects if it can't be written for over a minute. */
  async save(
    { id, conversationId = null, messageId = null }: WrittenOwner,
    exchange: Exchange,
  ): Promise<void> {
    const data = await compress(JSON.stringify(withBodies(exchange, () => omittedContent)));
    const bodies = exchange.attempts.map(({ request }) => request.body);
    const text = JSON.stringify(bodies);
    const isKept = text.length <= maxText && bodies.some((body) => body !== omittedContent);
    const content = isKept ? await compress(text) : null;
    const size = data.length + (content?.length ?? 0);
    const values = [id, conversationId, messageId, size, data, content];
    const source = conversationId === null ? "request" : "conversation";
    await this.#records.attempt(
      ({ database }) =>
        transact(database, () => {
          database
            .prepare(
              "INSERT OR REPLACE INTO exchange (id, conversation_id, message_id, size, data, content) VALUES (?, ?, ?, ?, ?, ?)",
            )
            .run(...values);
          removeOldest(database, source, this.#limits[source]);
        }),
      { isPatient: true },
    );
  }

  /** Deletes everything of a conversation. */
  deleteConversation(conversationId: string): Promise<void> {
    return this.#eraseAll("DELETE FROM exchange", "conversation_id = ?", conversationId);
  }

  /** Deletes what was sent and keeps what was measured. */
  deleteContent(source: ExchangeSource): Promise<void> {
    return this.#eraseAll(
      "UPDATE exchange SET content = NULL",
      `content IS NOT NULL AND ${conditions[source]}`,
    );
  }

  async #eraseAll(change: string, condition: string, ...values: readonly string[]): Promise<void> {
    const rows = `SELECT number FROM exchange WHERE ${condition} LIMIT ${rowsPerStep}`;
    const eraseSome = (database: DatabaseSync): boolean =>
      database.prepare(`${change} WHERE number IN (${rows})`).run(...values).changes === rowsPerStep;
    const options = { isErasure: true };
    while (await this.#records.attempt(({ database }) => eraseSome(database), options)) await setImmediate();
  }

  /** Without what can't be read. */
  async #read(condition: string, ...values: readonly SQLInputValue[]): Promise<readonly KeptExchange[]> {
    const latest = `SELECT * FROM exchange WHERE ${condition} ORDER BY number DESC LIMIT ${mostOfMessage}`;
    const rows = await this.#records.attempt(({ database }) => database.prepare(latest).all(...values));
    const kept = await Promise.all(rows.toReversed().map(parseKept));
    return kept.flat();
  }
}

/** Columns that have no value are NULL. */
type WrittenOwner = { readonly [name in keyof ExchangeOwner]: ExchangeOwner[name] | null } & {
  readonly id: string;
};

function removeOldest(database: DatabaseSync, source: ExchangeSource, { rows, bytes }: ExchangeLimits): void {
  database
    .prepare(
      `DELETE FROM exchange WHERE number IN (
         SELECT number FROM (
           SELECT number, row_number() OVER latest AS place, sum(size) OVER latest AS bytes
           FROM exchange WHERE ${conditions[source]} WINDOW latest AS (ORDER BY number DESC))
         WHERE place > ? OR bytes > ?)`,
    )
    .run(rows, bytes);
}

async function parseKept(row: Row): Promise<readonly KeptExchange[]> {
  const bodies = await unpack(row["content"]);
  const [conversationId, messageId] = [textColumn(row, "conversation_id"), textColumn(row, "message_id")];
  const owner = {
    id: textColumn(row, "id"),
    ...(conversationId === "" ? {} : { conversationId }),
    ...(messageId === "" ? {} : { messageId }),
  };
  const bodyAt = (index: number): string => {
    const body: unknown = Array.isArray(bodies) ? bodies[index] : undefined;
    return typeof body === "string" ? body : omittedContent;
  };
  return parseExchange(await unpack(row["data"])).map((exchange) => ({
    owner,
    exchange: withBodies(exchange, (_, index) => bodyAt(index)),
  }));
}

/** Undefined if it can't be read. */
async function unpack(data: unknown): Promise<unknown> {
  if (!(data instanceof Uint8Array)) return undefined;
  const bytes = await decompress(data, { maxOutputLength: maxBytes }).catch(() => undefined);
  return bytes === undefined ? undefined : parseJson(bytes.toString("utf8"));
}

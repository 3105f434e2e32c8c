import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parseJson } from "../../core/kernel/json.ts";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import { parseExchanges } from "../../core/responses/exchange/exchangeFields.ts";
import { omittedContent, withoutContent } from "../../core/responses/exchange/exchangeLog.ts";
import type { ExchangeStore } from "../../core/responses/exchange/exchangeLog.ts";
import { transact } from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";
import type { Records } from "./recordsFile.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What the exchanges belong to: responses of conversations, or requests of no conversation. */
type ExchangeSource = "conversation" | "request";

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
/**
 * UTF-16 units of a message's exchanges, because more would block the host while they are written. The content of the
 * earliest ones is left out, which later ones usually contain too.
 */
const maxText = 8 * 1024 * 1024;
/** No stored exchange is longer. Longer data was planted to exhaust memory. */
const maxBytes = 64 * 1024 * 1024;
/** Rows that are deleted in one step, so that the host isn't blocked by a long conversation. */
const rowsPerStep = 20;

/** The exchanges of each message as one row of compressed JSON. */
export class ExchangeTable implements ExchangeStore {
  readonly #records: Records;
  readonly #source: ExchangeSource;
  readonly #limits: ExchangeLimits;

  constructor(records: Records, source: ExchangeSource, limits = usualLimits[source]) {
    this.#records = records;
    this.#source = source;
    this.#limits = limits;
  }

  /** Empty if nothing readable is stored. */
  async load(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    const row = await this.#records.attempt(({ database }) =>
      database
        .prepare("SELECT data FROM exchange WHERE source = ? AND conversation_id = ? AND message_id = ?")
        .get(this.#source, conversationId, messageId),
    );
    return parseData(row?.["data"]);
  }

  /** Rejects if it can't be written for over a minute. */
  async save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void> {
    const { text, hasContent } = format(exchanges);
    const data = await compress(text);
    await this.#records.attempt(
      ({ database }) =>
        transact(database, () => {
          database
            .prepare(
              `INSERT OR REPLACE INTO exchange (source, conversation_id, message_id, has_content, size, data)
               VALUES (?, ?, ?, ?, ?, ?)`,
            )
            .run(this.#source, conversationId, messageId, Number(hasContent), data.length, data);
          this.#removeOldest(database);
        }),
      { isPatient: true },
    );
  }

  /** Deletes everything of a conversation. */
  async deleteConversation(conversationId: string): Promise<void> {
    const deleteSome = (database: DatabaseSync): boolean =>
      database
        .prepare(
          `DELETE FROM exchange WHERE id IN (
             SELECT id FROM exchange WHERE source = ? AND conversation_id = ? LIMIT ${rowsPerStep})`,
        )
        .run(this.#source, conversationId).changes === rowsPerStep;
    const options = { isPatient: true, isErasure: true };
    while (await this.#records.attempt(({ database }) => deleteSome(database), options)) await setImmediate();
  }

  /** Deletes what was sent and keeps what was measured. A row that can't be read is deleted. */
  async deleteContent(): Promise<void> {
    for (let id = 0; ;) {
      const row = await this.#records.attempt(
        ({ database }) =>
          database
            .prepare(
              `SELECT id, data FROM exchange
               WHERE source = ? AND has_content = 1 AND id > ? ORDER BY id LIMIT 1`,
            )
            .get(this.#source, id),
        { isPatient: true },
      );
      if (row === undefined) return;
      id = numberColumn(row, "id");
      await this.#replace(id, (await parseData(row["data"])).map(withoutContent));
    }
  }

  /** IDs are never used again, so a row that was written in the meantime isn't replaced. */
  async #replace(id: number, exchanges: readonly Exchange[]): Promise<void> {
    const data = await compress(JSON.stringify(exchanges));
    await this.#records.attempt(
      ({ database }) => {
        if (exchanges.length === 0) return database.prepare("DELETE FROM exchange WHERE id = ?").run(id);
        return database
          .prepare("UPDATE exchange SET has_content = 0, size = ?, data = ? WHERE id = ?")
          .run(data.length, data, id);
      },
      { isPatient: true, isErasure: true },
    );
  }

  #removeOldest(database: DatabaseSync): void {
    const { rows, bytes } = this.#limits;
    database
      .prepare(
        `DELETE FROM exchange WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER latest AS number, sum(size) OVER latest AS bytes
             FROM exchange WHERE source = ? WINDOW latest AS (ORDER BY id DESC))
           WHERE number > ? OR bytes > ?)`,
      )
      .run(this.#source, rows, bytes);
  }
}

/** The text of the exchanges. If it would be too long, the content of the earliest ones is left out. */
function format(exchanges: readonly Exchange[]): { readonly text: string; readonly hasContent: boolean } {
  const texts: string[] = [];
  let length = 0;
  let isAnyKept = false;
  for (const exchange of exchanges.toReversed()) {
    const whole = JSON.stringify(exchange);
    const isKept = length + whole.length <= maxText;
    const text = isKept ? whole : JSON.stringify(withoutContent(exchange));
    isAnyKept ||= isKept && hasContent(exchange);
    length += text.length;
    texts.unshift(text);
  }
  return { text: `[${texts.join(",")}]`, hasContent: isAnyKept };
}

function hasContent({ attempts }: Exchange): boolean {
  return attempts.some(({ request }) => request.body !== omittedContent);
}

/** Empty if it can't be read. */
async function parseData(data: unknown): Promise<readonly Exchange[]> {
  if (!(data instanceof Uint8Array)) return [];
  const text = await decompress(data, { maxOutputLength: maxBytes }).catch(() => undefined);
  return text === undefined ? [] : parseExchanges(parseJson(text.toString("utf8")));
}

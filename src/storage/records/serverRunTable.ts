import type { DatabaseSync } from "node:sqlite";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { nextRuns, runBases } from "../../core/servers/cost/serverRun.ts";
import type { SeenList, ServerRun, ServerRuns } from "../../core/servers/cost/serverRun.ts";
import { serverStatuses } from "../../core/servers/server.ts";
import { transact } from "../database/journal.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { forgetProfile } from "./recordsFile.ts";
import type { Records } from "./recordsFile.ts";

/** The oldest rows are removed if there are more than this: years of a dozen servers. */
const mostRows = 100_000;

/** The record of what servers did, in the file that all windows share. */
export class ServerRunTable implements ServerRuns {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Another window may have entered the same list: what there is to enter follows from the file in one transaction. */
  async note(list: SeenList): Promise<void> {
    await this.#records.attempt(({ database }) => {
      transact(database, () => {
        const runs = nextRuns(lastRuns(database, list), list);
        const put = database.prepare(
          "INSERT OR REPLACE INTO server_run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        for (const run of runs) put.run(...rowOf(run));
        if (runs.length > 0) removeOld(database);
      });
    });
  }

  read(since: number): Promise<readonly ServerRun[]> {
    return this.#records.attempt(({ database }) =>
      database
        .prepare("SELECT * FROM server_run WHERE ended > ? ORDER BY began, ended")
        .all(since)
        .map(parseRun),
    );
  }

  /** Deletes what the servers of a profile have done, names included. Never rejects. */
  forget(profileName: string): Promise<void> {
    return forgetProfile(this.#records, "server_run", profileName);
  }
}

/**
 * The last run of each server of the profile. What a clock that was ahead has entered doesn't count. SQLite takes the
 * other columns from the row with the maximum.
 */
function lastRuns(database: DatabaseSync, { profile, seenAt }: SeenList): ReadonlyMap<string, ServerRun> {
  const rows = database
    .prepare("SELECT *, max(began) FROM server_run WHERE profile = ? AND began <= ? GROUP BY server")
    .all(profile, seenAt);
  return new Map(rows.map((row) => [textColumn(row, "server"), parseRun(row)]));
}

function removeOld(database: DatabaseSync): void {
  database
    .prepare(
      `DELETE FROM server_run WHERE ended < (SELECT ended FROM server_run ORDER BY ended DESC LIMIT 1 OFFSET ${mostRows})`,
    )
    .run();
}

function rowOf({ profile, server, name, status, basis, from, to, rate }: ServerRun) {
  const price = [rate?.amount ?? null, rate?.currency ?? null, Number(rate?.isEstimate ?? false)] as const;
  return [profile, server, name, status, basis, from, to, ...price] as const;
}

/** Other versions may have written the row, so unknown words count as what isn't known. */
function parseRun(row: Row): ServerRun {
  const [amount, currency] = [numberField(row, "amount"), stringField(row, "currency")];
  const isEstimate = row["is_estimate"] === 1;
  return {
    profile: textColumn(row, "profile"),
    server: textColumn(row, "server"),
    name: textColumn(row, "name"),
    status: serverStatuses.find((known) => known === row["status"]) ?? "unknown",
    basis: runBases.find((known) => known === row["basis"]) ?? "gap",
    from: numberColumn(row, "began"),
    to: numberColumn(row, "ended"),
    rate: amount === undefined || currency === undefined ? undefined : { amount, currency, isEstimate },
  };
}

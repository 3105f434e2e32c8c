import { numberField, stringField } from "../../core/kernel/json.ts";
import { keptUse, useKinds } from "../../core/servers/gpu/serverUse.ts";
import type { UseHistory, UsePoint } from "../../core/servers/gpu/serverUse.ts";
import { numberColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { forgetProfile } from "./recordsFile.ts";
import type { Records } from "./recordsFile.ts";

/** The oldest rows are removed if there are more than this: a day of a hundred servers. */
const mostRows = 30_000;

/** What watched servers did during the last day, in the file that all windows share. */
export class ServerUseTable implements UseHistory {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async note(profile: string, server: string, point: UsePoint): Promise<void> {
    const { at, since, kind, percent = null, memoryPercent = null, requests = null, hasProcesses } = point;
    const slot = Math.floor(at / keptUse.stepMs);
    await this.#records.attempt(({ database }) => {
      database
        .prepare("INSERT OR REPLACE INTO server_use VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .run(profile, server, slot, at, since, kind, percent, memoryPercent, requests, Number(hasProcesses));
      // A clock that was ahead has entered what lies in the future.
      const oldest = `SELECT at FROM server_use ORDER BY at DESC LIMIT 1 OFFSET ${mostRows}`;
      database
        .prepare(`DELETE FROM server_use WHERE at < ? OR at > ? OR at <= (${oldest})`)
        .run(at - keptUse.longestMs, at + keptUse.longestMs);
    });
  }

  read(profile: string, server: string, after: number): Promise<readonly UsePoint[]> {
    return this.#records.attempt(({ database }) =>
      database
        .prepare("SELECT * FROM server_use WHERE profile = ? AND server = ? AND at > ? ORDER BY at")
        .all(profile, server, after)
        .map(parsePoint),
    );
  }

  /** Deletes what was measured on the servers of a profile. Never rejects. */
  forget(profile: string): Promise<void> {
    return forgetProfile(this.#records, "server_use", profile);
  }
}

/** Other versions may have written the row, so an unknown word counts as what isn't known. */
function parsePoint(row: Row): UsePoint {
  return {
    at: numberColumn(row, "at"),
    since: numberColumn(row, "since"),
    kind: useKinds.find((known) => known === row["kind"]) ?? "unknown",
    percent: numberField(row, "percent"),
    memoryPercent: numberField(row, "memory_percent"),
    requests: stringField(row, "requests"),
    hasProcesses: row["has_processes"] === 1,
  };
}

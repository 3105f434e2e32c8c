import { parseJson } from "../../core/kernel/json.ts";
import type { ToolPermission, ToolPermissionStore } from "../../core/responses/tools/toolPermissions.ts";
import { transact } from "../database/journal.ts";
import type { OpenRecords, Records } from "./recordsFile.ts";

/** The permissions of tools, as one row of JSON. They are never exported with the conversations. */
export class PermissionTable implements ToolPermissionStore {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async read(): Promise<unknown> {
    try {
      return await this.#records.attempt(readPermissions);
    } catch {
      return undefined;
    }
  }

  async change(change: (stored: unknown) => readonly ToolPermission[]): Promise<void> {
    await this.#records.attempt(
      (records) =>
        transact(records.database, () =>
          records.database
            .prepare("INSERT OR REPLACE INTO tool_permissions VALUES (1, ?)")
            .run(JSON.stringify(change(readPermissions(records)))),
        ),
      { isDurable: true },
    );
  }
}

function readPermissions({ database }: OpenRecords): unknown {
  return parseJson(database.prepare("SELECT text FROM tool_permissions").get()?.["text"]);
}

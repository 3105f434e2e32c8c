// The thread for work on the file of the conversations that may take minutes. It posts the result.
import { parentPort, workerData } from "node:worker_threads";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { makeBackup } from "../database/backups.ts";
import { loadSqlite } from "../database/sqlite.ts";
import { checkStorage, takeOver } from "./storageCheck.ts";

/** An error ends the thread, and reaches the caller. */
async function run(task: unknown): Promise<unknown> {
  const [name, path] = isRecord(task) ? [stringField(task, "name"), stringField(task, "path")] : [];
  if (!isRecord(task) || path === undefined) return undefined;
  const sqlite = loadSqlite();
  const source = stringField(task, "source");
  if (name === "backUp") await makeBackup(sqlite, path, Date.now());
  if (name === "check") return checkStorage(sqlite, path);
  if (name === "takeOver" && source !== undefined) return takeOver(sqlite, path, source);
  return undefined;
}

void run(workerData).then((result) => {
  parentPort?.postMessage(result);
  parentPort?.close();
});

// The thread in which the conversation file is rewritten, which may take seconds. Nothing waits for it.
import { parentPort, workerData } from "node:worker_threads";
import { loadSqlite } from "./sqlite.ts";

/** How long this thread, unlike the host's, may wait for other windows, in milliseconds. */
const busyTimeoutMs = 10_000;

const path: unknown = workerData;
if (typeof path === "string") {
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA secure_delete = ON`);
  database.exec("VACUUM; DELETE FROM housekeeping WHERE task = 'vacuum'; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
parentPort?.close();

// The thread for the backup of the conversations, which may take minutes.
import { parentPort, workerData } from "node:worker_threads";
import { makeBackup } from "../database/backups.ts";
import { loadSqlite } from "../database/sqlite.ts";

// An error ends the thread, and reaches the caller.
if (typeof workerData === "string")
  void makeBackup(loadSqlite(), workerData, Date.now()).then(() => parentPort?.close());

// The thread in which a large damaged conversation file is recovered, which may take minutes.
import { parentPort, workerData } from "node:worker_threads";
import { isRecord } from "../../core/kernel/json.ts";
import { DatabaseFile } from "./databaseFile.ts";
import type { Recovery } from "./recovery.ts";
import { loadSqlite } from "./sqlite.ts";

const task: unknown = workerData;
if (isRecord(task) && typeof task["path"] === "string" && typeof task["damagedId"] === "string") {
  const file = new DatabaseFile(loadSqlite(), task["path"], {
    now: () => Date.now(),
    onRecovery: (recovery: Recovery) => parentPort?.postMessage(recovery),
    onProblem: () => undefined,
  });
  file.recover(task["damagedId"]);
}
parentPort?.close();

// Reads and arranges a first list of servers in a process that has just started, and sends what that took. The argument
// is the number of servers.
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import { StateChanges } from "../../../src/core/servers/changes/stateChanges.ts";
import type { TreeRow } from "../../../src/core/servers/tree/rows.ts";
import { serverName } from "../../../src/core/servers/serverLabels.ts";
import { rowDescription, rowSpoken } from "../../../src/core/servers/tree/rowLabels.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import { readListPage, ServerListReader } from "../../../src/gateway/servers/readServerList.ts";
import { createSection, createServerList } from "./serverRecords.ts";

/** Milliseconds of the main thread's CPU time, on which other processes have little effect. */
export interface ColdListReport {
  /** From the text to the entries of the list, which is one task. */
  readonly find: number;
  /** From the entries to servers, in several tasks, and the longest of them. */
  readonly read: number;
  readonly longestStep: number;
  /** From the servers to the rows of the tree with the texts of those that are visible. */
  readonly arrange: number;
  /** The texts of the rows that VS Code requests at once when the tree is opened: all below the first open one. */
  readonly items: number;
}

/** Rows that the tree draws at first. */
const drawnRows = 50;

const text = createServerList(0, Number(process.argv[2]));
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const started = cpu();
const url = new URL("https://gateway.invalid");
const response = { statusCode: 200, headers: {}, receivedAt: 0 };
const page = readListPage(text, {}, { response, context: { kind: "gateway", method: "GET", url } });
const find = cpu() - started;
const steps = new ServerListReader().read(page, page.entries, {}, {});
let longestStep = 0;
let step = steps.next();
for (let before = started + find; ; before = cpu(), step = steps.next()) {
  longestStep = Math.max(longestStep, cpu() - before);
  if (step.done === true) break;
}
const { servers } = step.value;
const read = cpu() - started - find;
const rows = new ServerTreeRows(() => 0);
const section = createSection(servers);
rows.update([createSection([])], plainArrangement);
rows.update([section], plainArrangement);
new StateChanges().read(section);
writeTexts(rows.servers.slice(0, drawnRows));
const arrange = cpu() - started - find - read;
const opened = cpu();
writeTexts(rows.roots);
const items = cpu() - opened;
process.send?.({ find, read, longestStep, arrange, items } satisfies ColdListReport);

function writeTexts(written: readonly TreeRow[]): void {
  for (const row of written)
    if (row.kind === "server") [serverName(row.server), rowDescription(row), rowSpoken(row)].join("");
}

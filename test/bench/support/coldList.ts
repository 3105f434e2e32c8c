// Reads and arranges a first list of servers in a process that has just started, and sends what that took. The arguments
// are the number of servers and, if wanted, `facts`: then all facts are read before the servers are arranged.
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import { StateChanges } from "../../../src/core/servers/changes/stateChanges.ts";
import { readFacts } from "../../../src/core/servers/server.ts";
import type { TreeRow } from "../../../src/core/servers/tree/rows.ts";
import { serverName } from "../../../src/core/servers/serverLabels.ts";
import { rowDescription, rowSpoken } from "../../../src/core/servers/tree/rowLabels.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import { inSlices, ServerListReader } from "../../../src/gateway/servers/serverListReader.ts";
import { createSection, createServerList } from "./serverRecords.ts";

/** Milliseconds of the main thread's CPU time, on which other processes have little effect. */
export interface ColdListReport {
  /** JSON.parse of the same text, as cold. */
  readonly parse: number;
  /** From the text to servers. */
  readonly read: number;
  /** The facts of all servers that are otherwise read on first use. */
  readonly facts: number;
  /** From the servers to the rows of the tree with the texts of those that are visible. */
  readonly arrange: number;
  /** The longest time for which nothing else could run. */
  readonly longestTurn: number;
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
let longestTurn = 0;
let last = cpu();
const look = (): void => {
  const now = cpu();
  longestTurn = Math.max(longestTurn, now - last);
  last = now;
};
const start = cpu();
JSON.parse(text);
const parse = cpu() - start;

look();
longestTurn = 0;
const turns = setInterval(look);
const started = cpu();
const { servers } = await new ServerListReader().readInSlices(text);
const read = cpu() - started;
if (process.argv[3] === "facts") for (const server of servers) readFacts(server);
const facts = cpu() - started - read;
const rows = new ServerTreeRows(() => 0);
const section = createSection(servers);
rows.update([createSection([])], plainArrangement);
const pieces = rows.prepare(section);
if (pieces !== undefined) await inSlices(pieces);
rows.update([section], plainArrangement);
new StateChanges().read(section);
writeTexts(rows.servers.slice(0, drawnRows));
look();
clearInterval(turns);
const arrange = cpu() - started - read - facts;
const opened = cpu();
writeTexts(rows.roots.flatMap((row) => (row.kind === "page" && row.isOpen ? row.rows : [row])));
const items = cpu() - opened;
process.send?.({ parse, read, facts, arrange, longestTurn, items } satisfies ColdListReport);

function writeTexts(written: readonly TreeRow[]): void {
  for (const row of written)
    if (row.kind === "server") [serverName(row.server), rowDescription(row), rowSpoken(row)].join("");
}

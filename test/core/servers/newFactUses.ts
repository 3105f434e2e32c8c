// Prints what every part of the product does with the fact “rack”, which `newFact.test.ts` adds to a copy of the source.
import { listServers } from "../../../src/core/agentTools/serverTools.ts";
import { inputSchema, parseToolInput } from "../../../src/core/agentTools/toolTable.ts";
import {
  arrangeServers,
  groupsOf,
  plainArrangement,
  serverGroupings,
  sortings,
} from "../../../src/core/servers/arrange/groupServers.ts";
import { otherFields } from "../../../src/core/servers/details/recordFields.ts";
import { serverDetails } from "../../../src/core/servers/details/serverDetails.ts";
import { mappedFields, parseFieldMapping } from "../../../src/core/servers/fieldMapping.ts";
import { createFilter, knownFields } from "../../../src/core/servers/filter/filterSubject.ts";
import { modelFacts } from "../../../src/core/servers/modelFacts.ts";
import { rowDescription, rowSpoken } from "../../../src/core/servers/tree/rowLabels.ts";
import { cellOf } from "../../../src/core/servers/serverProperties.ts";
import {
  formatServerSnapshot,
  parseServerSnapshot,
} from "../../../src/core/servers/snapshot/serverSnapshotText.ts";
import { columnLabel, columnsWithValues } from "../../../src/core/servers/table/columns.ts";
import { readServerList } from "../../support/readServerList.ts";
import { createSection } from "../../support/serverSections.ts";

const record = (index: number, rack: object) => ({
  id: `s-${index}`,
  name: `n-${index}`,
  state: "on",
  ...rack,
});
const records = [record(0, { rack_name: "r-10" }), record(1, { placement: { rack: "r-9" } }), record(2, {})];
const { servers } = readServerList(JSON.stringify({ servers: records }));
const section = createSection(servers);
const row = { kind: "server", id: "", profileName: "Lab", mark: undefined, staleSince: undefined } as const;
const subjects = servers.map((server, position) => {
  return { ...row, server, key: server.key, position, isStale: false };
});
const namesOf = (found: typeof subjects): readonly (string | undefined)[] =>
  found.map(({ server }) => server.name?.value);
const passing = (filter: string) =>
  namesOf(subjects.filter((subject) => createFilter(filter)?.(subject) ?? true));
const [first] = subjects;
if (first === undefined) throw new Error("The list has no servers.");
const parsed = parseToolInput("list_servers", { rack: "R-9" });
const isParsed = "input" in parsed;
const listed = isParsed ? listServers([section], parsed.input) : {};
const mapping = parseFieldMapping({ rack: "deep.place" });
const mapped = readServerList(JSON.stringify([record(0, { deep: { place: "r-7" } })]), mapping);
const stored = parseServerSnapshot(formatServerSnapshot(section.snapshot) ?? "");

process.stdout.write(
  JSON.stringify({
    row: rowDescription({ server: first.server }),
    spoken: rowSpoken({ server: first.server }),
    details: /\| Rack \|[^\n]*/.exec(serverDetails(first))?.[0],
    isOther: otherFields(first.server).some(({ pointer }) => pointer === "/rack_name"),
    cells: subjects.map((subject) => cellOf(subject, "rack")),
    heading: columnLabel("rack"),
    isColumn: columnsWithValues([section], new Set()).has("rack"),
    filtered: [passing("rack:r-9"), passing("cabinet:r-10"), passing("r-10"), passing("-rack:*")],
    isCompleted: knownFields.includes("rack"),
    sorted: namesOf([...arrangeServers(subjects, { ...plainArrangement, sortBy: "rack" }, 0)]),
    groups: subjects.map(({ server }) => groupsOf(server, "rack")[0]?.label),
    isInMenus: [serverGroupings.includes("rack"), sortings.includes("rack")],
    model: modelFacts(first.server)["rack"],
    listed: listed["servers"],
    hasInput: JSON.stringify(inputSchema("list_servers")).includes("Only servers in this rack."),
    mapped: [
      mappedFields.some((name) => String(name) === "rack"),
      cellOf({ ...first, ...mapped, server: mapped.servers[0] ?? first.server }, "rack"),
    ],
    stored: cellOf({ ...first, server: stored?.servers[0] ?? first.server }, "rack"),
  }),
);

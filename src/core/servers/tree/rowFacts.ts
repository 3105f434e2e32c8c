import { sshTargetOf } from "../connect/sshTarget.ts";
import { webAddresses } from "../connect/webAddresses.ts";
import type { ServerRow } from "./rows.ts";

/** What menus may offer for a server: words for the `when` clauses of package.json. */
export function rowFacts({ server, mark }: ServerRow): readonly string[] {
  const facts = [
    server.id && "hasId",
    server.name && "hasName",
    server.address && "hasAddress",
    server.otherAddresses && "hasAddresses",
    sshTargetOf(server) && "hasSsh",
    webAddresses(server).length > 0 ? "hasPage" : undefined,
    mark?.isPinned === true ? "pinned" : "loose",
    mark?.isWatched === true ? "watched" : "unwatched",
    mark?.isMuted === true ? "muted" : "audible",
  ];
  return facts.filter((fact) => typeof fact === "string");
}

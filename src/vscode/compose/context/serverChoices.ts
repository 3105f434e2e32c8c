import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { serverPart } from "../../../core/compose/context/contextPart.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import { sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { modelFacts, modelText } from "../../../core/servers/modelFacts.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import { rowDescription } from "../../../core/servers/tree/rowLabels.ts";
import type { ServerSection, ServerRow } from "../../../core/servers/tree/rows.ts";
import type { ServersView } from "../../servers/serversView.ts";
import type { Choice } from "./choice.ts";

const maxShown = 40;
/** How long the list waits for a gateway. Later results appear when it is opened again. */
const patienceMs = 5_000;

/**
 * The servers of all profiles whose name, status or location matches, regardless of the tree's filter. Requests the
 * lists if nothing is known yet.
 */
export async function serverChoices(text: string, serversView: ServersView): Promise<readonly Choice[]> {
  if (serversView.lists.sections.every(({ snapshot }) => snapshot.state === "loading")) {
    await Promise.race([serversView.refresh(), sleep(patienceMs)]);
  }
  const { sections } = serversView.lists;
  const rows = sections.flatMap(rowsOf);
  if (rows.length === 0) return [unavailable(sections)];
  const several = sections.length > 1;
  const describe = (row: ServerRow): string =>
    [several ? sanitizeLabel(row.profileName, 40) : "", rowDescription(row)]
      .filter((part) => part !== "")
      .join(" · ");
  const found = fuzzyFilter(text, rows, (row) => `${serverName(row.server)} ${describe(row)}`).slice(
    0,
    maxShown,
  );
  return found.map((row) => ({
    suggestion: { label: serverName(row.server), detail: describe(row), icon: "server" },
    pick: () => Promise.resolve(attachServer(serversView, row)),
  }));
}

/** The server's known facts, in a form that contains no secrets. */
export function attachServer(serversView: ServersView, row: ServerRow): Composition {
  const { server, profileName } = row;
  const section = serversView.lists.sections.find((found) => found.profileName === profileName);
  const part = serverPart({
    name: serverName(row.server),
    profileName,
    gateway: section?.host,
    listedAt: section?.snapshot.listedAt,
    facts: modelText(modelFacts(server)),
  });
  return { text: "", parts: [part] };
}

function rowsOf({ profileName, snapshot, marks }: ServerSection): readonly ServerRow[] {
  return snapshot.servers.map((server) => ({
    kind: "server",
    id: "",
    key: server.key,
    profileName,
    server,
    mark: marks.get(server.key),
    staleSince: undefined,
  }));
}

function unavailable(sections: readonly ServerSection[]): Choice {
  const error = sections.find(({ isActive }) => isActive)?.snapshot.error?.message;
  const isLoading = sections.some(({ snapshot }) => snapshot.state === "loading");
  const nothing = isLoading
    ? vscode.l10n.t("The servers are still being listed.")
    : vscode.l10n.t("There are no GPU servers.");
  const detail = sanitizeLabel(error ?? nothing, 200);
  return {
    suggestion: { label: vscode.l10n.t("GPU servers"), detail, icon: "server", isUnavailable: true },
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { serverPart } from "../../../core/context/contextPart.ts";
import type { Composition } from "../../../core/context/contextProtocol.ts";
import { fuzzyFilter } from "../../../core/context/fuzzyMatch.ts";
import { plainText } from "../../../core/plainText.ts";
import { serverRecordText } from "../../../core/servers/serverRecordText.ts";
import { rowDescription, rowLabel } from "../../../core/servers/tree/rowWords.ts";
import type { FleetSection, ServerRow } from "../../../core/servers/tree/rows.ts";
import type { FleetView } from "../../servers/fleetView.ts";
import type { Choice } from "./choice.ts";

const maxShown = 40;
/** How long the list waits for a gateway; what comes later is there when it opens again. */
const patienceMs = 5_000;

/** The servers of all profiles whose name, state or place fits, whatever the tree's filter hides; listed where nothing is known yet. */
export async function serverChoices(text: string, fleet: FleetView): Promise<readonly Choice[]> {
  if (fleet.fleet.sections.every(({ snapshot }) => snapshot.state === "loading")) {
    await Promise.race([fleet.refresh(), sleep(patienceMs)]);
  }
  const { sections } = fleet.fleet;
  const rows = sections.flatMap(rowsOf);
  if (rows.length === 0) return [unavailable(sections)];
  const several = sections.length > 1;
  const describe = (row: ServerRow): string =>
    [several ? plainText(row.profileName, 40) : "", rowDescription(row)]
      .filter((part) => part !== "")
      .join(" · ");
  return fuzzyFilter(text, rows, (row) => `${rowLabel(row)} ${describe(row)}`)
    .slice(0, maxShown)
    .map((row) => ({
      suggestion: { label: rowLabel(row), detail: describe(row), icon: "server" },
      pick: () => Promise.resolve(attachServer(fleet, row)),
    }));
}

/** The record of the server with its secrets masked. */
export function attachServer(fleet: FleetView, row: ServerRow): Composition {
  const { server, profileName } = row;
  const section = fleet.fleet.sections.find((found) => found.profileName === profileName);
  const part = serverPart({
    name: rowLabel(row),
    profileName,
    gateway: section?.host,
    listedAt: section?.snapshot.listedAt,
    record: serverRecordText(server),
  });
  return { text: "", parts: [part] };
}

function rowsOf({ profileName, snapshot, marks }: FleetSection): readonly ServerRow[] {
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

function unavailable(sections: readonly FleetSection[]): Choice {
  const error = sections.find(({ isActive }) => isActive)?.snapshot.error?.message;
  const isLoading = sections.some(({ snapshot }) => snapshot.state === "loading");
  const nothing = isLoading
    ? vscode.l10n.t("The servers are still being listed.")
    : vscode.l10n.t("There are no GPU servers.");
  const detail = plainText(error ?? nothing, 200);
  return {
    suggestion: { label: vscode.l10n.t("GPU servers"), detail, icon: "server", isUnavailable: true },
  };
}

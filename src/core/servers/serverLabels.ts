import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import type { Server, ServerFact, ServerStatus } from "./server.ts";
import { maskSecretText } from "./secretMask.ts";

/** The translated name of each status. It is a function, because translations are loaded after the modules. */
export const statusLabels: Readonly<Record<ServerStatus, () => string>> = {
  running: () => t("Running"),
  starting: () => t("Starting"),
  stopped: () => t("Stopped"),
  stopping: () => t("Stopping"),
  error: () => t("Error"),
  unknown: () => t("Unknown status"),
};

/** A fact in displayable form: one line, without deceptive characters or secrets. */
export function factText(fact: ServerFact, maxLength = 120): string {
  return sanitizeLabel(maskSecretText(fact.value), maxLength);
}

/** The server's display name: its name, otherwise its ID, otherwise its position in the list. */
export function serverName(server: Server): string {
  const name = [server.name, server.id].flatMap((fact) => (fact === undefined ? [] : factText(fact)));
  return name.find((text) => text !== "") ?? t("Unnamed server {0}", sanitizeLabel(server.key, 60));
}

/** The status in words, with the gateway's own word if it differs: `Starting (booting)`. */
export function statusText({ status, statusText: own }: Server): string {
  const word = own === undefined ? "" : factText(own, 60);
  if (word === "") return statusLabels[status]();
  if (status !== "unknown") {
    return word.toLowerCase() === status ? statusLabels[status]() : `${statusLabels[status]()} (${word})`;
  }
  return /^(?:unknown|-?\d+)$/i.test(word) ? t("Status: {0}", word.toLowerCase()) : word;
}

/** The text after the name in a row: GPU, region, status. */
export function serverDescription(server: Server, staleSince?: string): string {
  const parts = [server.gpu, server.region].flatMap((fact) => (fact === undefined ? [] : factText(fact, 60)));
  const stale = staleSince === undefined ? [] : [t("as of {0}", staleSince)];
  return [...parts, statusText(server), ...stale].filter((part) => part !== "").join(" · ");
}

/** The row as read by a screen reader. */
export function serverSpoken(server: Server, staleSince?: string): string {
  const { gpu, region, address, isPrivateAddress } = server;
  const parts = [
    serverName(server),
    t("status: {0}", statusText(server)),
    gpu === undefined ? t("unknown GPU") : t("GPU: {0}", factText(gpu, 60)),
    region === undefined ? undefined : t("region: {0}", factText(region, 60)),
    address === undefined
      ? undefined
      : isPrivateAddress === true
        ? t("private address: {0}", factText(address, 60))
        : t("address: {0}", factText(address, 60)),
    staleSince === undefined ? undefined : t("not refreshed since {0}", staleSince),
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** The named facts of a server with their labels, for a tooltip. */
export function labeledFacts(server: Server): readonly (readonly [label: string, fact: ServerFact])[] {
  const { id, name, statusText: state, gpu, region, address, isPrivateAddress } = server;
  const all: readonly (readonly [string, ServerFact | undefined])[] = [
    [t("Name"), name],
    [t("ID"), id],
    [t("Status"), state],
    [t("GPU"), gpu],
    [t("Region"), region],
    [isPrivateAddress === true ? t("Private address") : t("Address"), address],
  ];
  return all.flatMap(([label, fact]) => (fact === undefined ? [] : [[label, fact] as const]));
}

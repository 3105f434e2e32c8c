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

/** A fact in displayable form: one line, without deceptive characters or secrets; empty if it isn't known. */
export function factText(fact: ServerFact | undefined, maxLength = 120): string {
  return fact === undefined ? "" : sanitizeLabel(maskSecretText(fact.value), maxLength);
}

/** The server's display name: its name, otherwise its ID, otherwise its position in the list. */
export function serverName(server: Server): string {
  return (
    factText(server.name) || factText(server.id) || t("Unnamed server {0}", sanitizeLabel(server.key, 60))
  );
}

/** The status in words, with the gateway's own word if it differs: `Starting (booting)`. */
export function statusText({ status, statusText: own }: Server): string {
  const word = factText(own, 60);
  if (word === "") return statusLabels[status]();
  if (status !== "unknown") {
    // The last word of `PowerState/running`.
    return word.toLowerCase().split(/[ _/]/).at(-1) === status
      ? statusLabels[status]()
      : `${statusLabels[status]()} (${word})`;
  }
  return /^(?:unknown|-?\d+)$/i.test(word) ? t("Status: {0}", word.toLowerCase()) : word;
}

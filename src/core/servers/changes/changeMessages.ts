import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/sanitizeLabel.ts";
import { serverName, statusLabels } from "../serverLabels.ts";
import type { StateChange } from "./stateChanges.ts";

const maxNamed = 3;

/** A change in words: `trainer-07: Starting → Running`. */
export function changeText({ server, mark, before }: StateChange): string {
  const name = sanitizeLabel(mark?.alias ?? serverName(server), 60);
  return t("{0}: {1} → {2}", name, statusLabels[before](), statusLabels[server.status]());
}

/** Many changes in a line: the first three, and how many more there are. */
export function digestText(changes: readonly StateChange[]): string {
  const named = changes.slice(0, maxNamed).map(changeText).join(", ");
  const more = changes.length - maxNamed;
  return more > 0 ? t("{0} and {1} more", named, more) : named;
}

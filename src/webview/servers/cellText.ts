import { displayLanguage } from "../../core/kernel/displayLanguage.ts";
import type { Cell } from "../../core/servers/table/cells.ts";
import { formatAge } from "../../core/kernel/formatTime.ts";

/** The text of a cell. `now` is in milliseconds since 1970. */
export function cellText(cell: Cell, now: number): string {
  if (typeof cell === "string") return cell;
  return formatAge(cell < 0 ? -cell : now - cell);
}

/** Additional text for a cell: the exact time if it is a relative one. */
export function cellHint(cell: Cell): string | undefined {
  if (typeof cell === "string" || cell < 0) return undefined;
  const style = { dateStyle: "medium", timeStyle: "medium" } as const;
  return new Intl.DateTimeFormat(displayLanguage(), style).format(cell);
}

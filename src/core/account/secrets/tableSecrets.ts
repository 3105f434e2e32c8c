import { secretName } from "./secretNames.ts";
import type { SecretSpan } from "./secretValue.ts";
import { isCode, isPassword, isPlaceholder, isRandom, withoutTail } from "./secretValue.ts";

/** Rows of a table whose header names a secret: Markdown, CSV or tabs. */
export function findSecretsInTables(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  let columns: readonly number[] = [];
  let separator = "";
  for (const line of text.split("\n")) {
    const at = from;
    from += line.length + 1;
    const sign = separatorOf(line);
    if (sign === undefined || (columns.length > 0 && sign !== separator)) {
      columns = [];
      continue;
    }
    const cells = cellsOf(line, sign);
    if (columns.length === 0) {
      separator = sign;
      // In code, names are separated by commas, too, so a comma-separated header counts only without spaces and quotes,
      // as programs write it.
      const isTable = sign === "|" || sign === "\t" || /^[\w-]+(?:[,;][\w-]+)+\r?$/.test(line);
      columns = isTable ? headOf(cells.map(({ text: cell }) => cell)) : [];
      continue;
    }
    for (const column of columns) {
      const cell = cells[column];
      if (cell !== undefined && isCellSecret(cell.text))
        spans.push({ kind: "table", start: at + cell.start, end: at + cell.start + cell.text.length });
    }
  }
  return spans;
}

function separatorOf(line: string): string | undefined {
  if (line.length < 5 || line.length > 2_000) return undefined;
  return ["|", "\t", ";", ","].find((sign) => line.includes(sign));
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

function cellsOf(line: string, separator: string): readonly Cell[] {
  let at = 0;
  return line.split(separator).map((part) => {
    const inner = part.replace(/^[\s"'`*]{1,20}/, "");
    const start = at + part.length - inner.length;
    at += part.length + 1;
    return { text: withoutTail(inner, " \t\r\"'`*"), start };
  });
}

/** The columns that hold secrets, provided that every cell is a plain column name. */
function headOf(cells: readonly string[]): readonly number[] {
  const names = cells.filter((cell) => cell !== "");
  if (names.length < 2 || !names.every((name) => /^[\p{L}_][\p{L}\d_ ()-]{0,30}$/u.test(name))) return [];
  return cells.flatMap((name, index) => (secretName(name) === "secret" ? [index] : []));
}

function isCellSecret(cell: string): boolean {
  if (cell.length < 6 || /\s/.test(cell) || isPlaceholder(cell) || isCode(cell)) return false;
  return (isPassword(cell) && /\d/.test(cell)) || isRandom(cell, 12);
}

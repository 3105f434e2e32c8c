import { isCommandSecret } from "./commandSecrets.ts";
import { secretName } from "./secretNames.ts";
import { withoutTail } from "./secretSpan.ts";
import type { Scrutiny, SecretSpan } from "./secretSpan.ts";
import { isCode, isPassword, isPlaceholder, isRandom } from "./secretValue.ts";

/** Rows of a table whose head names a secret: Markdown, CSV, tabs. */
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
      // In code, names stand between commas, too: only what a program wrote is a table without spaces and quotes.
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

/** The columns that hold secrets, where every cell is the plain name of a column. */
function headOf(cells: readonly string[]): readonly number[] {
  const names = cells.filter((cell) => cell !== "");
  if (names.length < 2 || !names.every((name) => /^[\p{L}_][\p{L}\d_ ()-]{0,30}$/u.test(name))) return [];
  return cells.flatMap((name, index) => (secretName(name) === "secret" ? [index] : []));
}

function isCellSecret(cell: string): boolean {
  if (cell.length < 6 || /\s/.test(cell) || isPlaceholder(cell) || isCode(cell)) return false;
  return (isPassword(cell) && /\d/.test(cell)) || isRandom(cell, 12);
}

/** `INSERT INTO users (name, password) VALUES ('root', '…')`: the name stands in one list and its value in another. */
const insert =
  /\bINTO\s{1,4}[\w."`[\]]{1,100}\s{0,4}\(([^()]{1,600})\)\s{0,20}VALUES\s{0,20}\(((?:[^()'"]|'[^'\n]{0,300}'|"[^"\n]{0,300}"){1,2000})/gi;

/** Values of `INSERT` whose columns are secret. */
export function findInsertedSecrets(text: string): readonly SecretSpan[] {
  return [...text.matchAll(insert)].flatMap((match) => {
    const [whole, names = "", values = ""] = match;
    const columns = names.split(",").map((name) => secretName(name.replace(/[\s"`[\]]/g, "")) === "secret");
    const from = match.index + whole.length - values.length;
    return [...values.matchAll(/'([^'\n]*)'|"([^"\n]*)"|[^,\s'"]{1,300}/g)].flatMap((cell, column) => {
      const value = cell[1] ?? cell[2];
      if (columns[column] !== true || value === undefined || value.length < 4 || isPlaceholder(value))
        return [];
      const start = from + cell.index + 1;
      return [{ kind: "password in SQL", start, end: start + value.length }];
    });
  });
}

/** `{"value": "…", "name": "API_TOKEN"}`. */
const valueFirst =
  /["']value["']\s{0,4}:\s{0,4}["']([^"'\n]{1,4000})["']\s{0,4},\s{0,40}["'](?:name|key)["']\s{0,4}:\s{0,4}["']([\w.-]{1,100})["']/gi;

/** Values that stand before the names that say that they are secret. */
export function findValuesBeforeNames(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...text.matchAll(valueFirst)].flatMap((match) => {
    const [whole, value = "", name = ""] = match;
    if (secretName(name) !== "secret" || !isCommandSecret(value, scrutiny === "strict", scrutiny)) return [];
    const start = match.index + whole.indexOf(value, 7);
    return [{ kind: name, start, end: start + value.length }];
  });
}

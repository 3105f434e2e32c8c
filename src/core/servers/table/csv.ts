/** Signs with which a spreadsheet begins a formula, also in their wide forms; it forgets blanks before them. */
const formula = /^[\s\u00a0]*[=+\-@\t\r＝＋－＠|%]/u;
const number = /^[+-]?\d{1,15}(?:[.,]\d+)?$/;

/**
 * A table as RFC 4180 has it: every field in quotation marks, lines that end with CRLF. What a spreadsheet would take
 * for a formula begins with an apostrophe, which makes a text of it.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}

function field(text: string): string {
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

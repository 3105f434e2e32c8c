/**
 * Characters that start a formula in a spreadsheet, including their full-width forms; spreadsheets ignore blanks before
 * them.
 */
const formula = /^[\s\u00a0]*[=+\-@\t\r＝＋－＠|%]/u;
const number = /^[+-]?\d{1,15}(?:[.,]\d+)?$/;

/**
 * A table in RFC 4180 format: every field in quotation marks, lines ending with CRLF. Text that a spreadsheet would
 * treat as a formula is prefixed with an apostrophe, which makes it text.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}

function field(text: string): string {
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/**
 * The code as it is put behind the beginning of a line: where that is nothing but white space, the lines that follow
 * are indented as far. A last line end is left out: the cursor's line goes on.
 */
export function indentCode(code: string, lineStart: string): string {
  const text = code.replace(/\n$/, "");
  if (lineStart === "" || lineStart.trim() !== "") return text;
  const [first = "", ...rest] = text.split("\n");
  return [first, ...rest.map((line) => (line === "" ? "" : lineStart + line))].join("\n");
}

import { isJson } from "../../kernel/json.ts";

/** Maximum levels of indentation, so that deeply nested text doesn't grow without limit. */
const maxIndent = 20;

/**
 * The arguments of a call in readable form: indented if they are JSON, otherwise as the model wrote them.
 * @param maxLength UTF-16 units after which the text is truncated.
 */
export function argumentsText(text: string, maxLength: number): { text: string; isCut: boolean } {
  const shown = isJson(text) ? indent(text, maxLength + 1) : text;
  return { text: shown.slice(0, maxLength), isCut: shown.length > maxLength };
}

/**
 * Processes valid JSON token by token: exactly what the model wrote is shown, and no more of it is read than is shown.
 */
function indent(json: string, maxLength: number): string {
  let text = "";
  let depth = 0;
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, maxIndent))}`;
  for (let at = skipSpace(json, 0); at < json.length && text.length < maxLength; at = skipSpace(json, at)) {
    const end = tokenEnd(json, at);
    const token = json.slice(at, end);
    at = end;
    if (token === "{" || token === "[") {
      const next = json[skipSpace(json, at)];
      if (next === "}" || next === "]") {
        text += `${token}${next}`;
        at = skipSpace(json, at) + 1;
      } else {
        depth++;
        text += token + newLine();
      }
    } else if (token === "}" || token === "]") {
      depth--;
      text += newLine() + token;
    } else {
      text += token === "," ? token + newLine() : token === ":" ? ": " : token;
    }
  }
  return text;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (/\s/.test(json[at] ?? "")) at++;
  return at;
}

function tokenEnd(json: string, start: number): number {
  if (json[start] === '"') {
    let at = start + 1;
    while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    return at + 1;
  }
  if ("{}[],:".includes(json[start] ?? "")) return start + 1;
  let at = start;
  while (at < json.length && !/[\s,:{}[\]]/.test(json[at] ?? "")) at++;
  return at;
}

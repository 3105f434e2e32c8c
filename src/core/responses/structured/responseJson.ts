/** The JSON of a response, or why there is none. */
export type ResponseJson =
  | { readonly state: "json"; readonly value: unknown; readonly json: string }
  | { readonly state: "notJson"; readonly message: string };

/**
 * Finds the JSON in a response that should contain nothing else: models like to put it into a code fence or to add a
 * sentence around it. `message` is the parser's own, for the whole text.
 */
export function responseJson(text: string): ResponseJson {
  const whole = parse(text);
  if (whole.state === "json") return whole;
  for (const block of fencedBlocks(text)) {
    const inside = parse(block);
    if (inside.state === "json") return inside;
  }
  return whole;
}

function parse(text: string): ResponseJson {
  const json = text.trim();
  try {
    const value: unknown = JSON.parse(json);
    return { state: "json", value, json };
  } catch (error) {
    return { state: "notJson", message: error instanceof Error ? error.message : String(error) };
  }
}

/** The content of fenced blocks, line by line; the last fence may be missing if the response was truncated. */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(open.lines.join("\n"));
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) blocks.push(open.lines.join("\n"));
  return blocks;
}

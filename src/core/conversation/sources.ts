import { t } from "@vscode/l10n";
import { closedMarkdown, escapeMarkdown, sanitizeLabel } from "../kernel/foreignText.ts";
import { isRecord } from "../kernel/json.ts";

/** A page on the web that a response cites. */
export interface Source {
  readonly url: string;
  readonly title?: string;
}

/** Sources of one response. No model cites more. */
const mostSources = 50;
const longestUrl = 2_000;
/** Members of a record that contain its address, or more records. */
const urlNames = ["url", "uri", "link", "href", "source"];
const innerNames: ReadonlySet<string> = new Set([
  ...["choices", "delta", "message", "context", "citations", "annotations", "url_citation", "search_results"],
  ...["sources", "references", "web_search", "search_info", "document", "web", "grounding_chunks"],
  ...["groundingChunks", "groundingMetadata", "grounding_metadata", "vertex_ai_grounding_metadata"],
]);
const deepest = 8;

/** Adds the sources in a piece of a response, in whatever form; one that is known may only get its title. */
export function addSources(known: Map<string, Source>, value: unknown, depth = 0): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) for (const item of value) addSources(known, item, depth + 1);
  else if (typeof value === "string") addSource(known, value, undefined);
  else if (isRecord(value)) {
    const url = urlNames.map((name) => value[name]).find((each) => typeof each === "string");
    if (typeof url === "string") return addSource(known, url, value["title"] ?? value["name"]);
    for (const name in value) if (innerNames.has(name)) addSources(known, value[name], depth + 1);
  }
}

function addSource(known: Map<string, Source>, url: string, title: unknown): void {
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || url.length > longestUrl) return;
  const before = known.get(url);
  if (before?.title !== undefined || (before === undefined && known.size >= mostSources)) return;
  const label = typeof title === "string" ? sanitizeLabel(title) : "";
  known.set(url, label === "" ? { url } : { url, title: label });
}

/** The response with its sources, which don't become part of code that was cut. */
export function withSources(text: string, sources: readonly Source[] | undefined): string {
  const rows = sourcesMarkdown(sources);
  return rows === "" ? text : `${closedMarkdown(text)}${rows}`;
}

/** The sources as Markdown to append to the response; empty if there are none. */
export function sourcesMarkdown(sources: readonly Source[] = []): string {
  if (sources.length === 0) return "";
  const rows = sources.map(({ url, title }, index) => {
    const target = `<${url.replace(/[<>]/g, encodeURIComponent)}>`;
    return `${index + 1}. ${title === undefined ? target : `[${escapeMarkdown(title)}](${target})`}`;
  });
  return `\n\n**${t("Sources")}**\n\n${rows.join("\n")}`;
}

/** The sources of a response that was continued, followed by those that its continuation adds. */
export function joinSources(
  first: readonly Source[] | undefined,
  added: readonly Source[],
): readonly Source[] {
  const known = new Map<string, Source>();
  addSources(known, first);
  addSources(known, added);
  return [...known.values()];
}

/** Parses the sources of a stored message as far as they are readable. */
export function parseSources(value: unknown): readonly Source[] | undefined {
  const known = joinSources([], Array.isArray(value) ? value : []);
  return known.length === 0 ? undefined : known;
}

import { t } from "@vscode/l10n";
import { escapeInvisible, sanitizeLabel } from "../../kernel/foreignText.ts";
import { maskRecord } from "../secretMask.ts";
import type { Server } from "../server.ts";
import { shownFacts, tooltipPlaces } from "../serverFacts.ts";
import { serverName } from "../serverLabels.ts";
import { serverTags } from "../serverTags.ts";
import type { ServerRow } from "../tree/rows.ts";
import { otherFields } from "./recordFields.ts";
import type { RecordField } from "./recordFields.ts";

/** The record as a displayable JSON document: secrets are masked, and nothing in it is invisible. */
export function serverRecordText(server: Server): string {
  const json = JSON.stringify(maskRecord(server.record), undefined, 2) ?? "null";
  return `${escapeInvisible(json)}\n`;
}

/**
 * The sections of a server's document besides its main facts, with the words in a field's path that assign it to the
 * section.
 */
const sections: readonly (readonly [title: () => string, words: RegExp])[] = [
  [
    () => t("Addresses and network"),
    /(?<![a-z])(?:ip(?:v[46]|s|_|$|\/)|addr|network|nic|host|port|dns|vpc|subnet|ssh|fqdn|url|endpoint)/,
  ],
  [
    () => t("Hardware"),
    /(?<![a-z])(?:gpu|accelerator|v?cpu|v?core|mem|ram|disk|storage|volume|flavor|size|plan|specs?)/,
  ],
  [() => t("Software"), /(?<![a-z])(?:image|os(?:_|$|\/)|kernel|driver|cuda|template|software|container)/],
  [() => t("Timing"), /(?<![a-z])(?:creat|updat|start|launch|date|time|expir|uptime)|_at$/],
  [() => t("Price"), /(?<![a-z])(?:price|cost|rate|billing|hourly|monthly|currency)/],
];

/**
 * A Markdown document with everything known about a server; secrets are masked, and no link is active.
 *
 * @param measured What is measured on the server itself, one line for each GPU.
 */
export function serverDetails(row: ServerRow, measured: readonly string[] = []): string {
  const { server, staleSince } = row;
  const facts = shownFacts(server, tooltipPlaces, 300).map(({ label, text, source }) => [
    label,
    text,
    source,
  ]);
  const tags = serverTags(server);
  const parts = [
    `# ${escapePunctuation(serverName(server))}`,
    staleSince === undefined ? "" : `> ${t("Not refreshed since {0}.", staleSince)}`,
    measured.length === 0
      ? ""
      : `## ${t("GPU usage")}\n\n${measured.map((line) => `- ${escapePunctuation(line)}`).join("\n")}`,
    `## ${t("Properties")}\n\n${table([t("Property"), t("Value"), t("Source")], facts)}`,
    tags.length === 0
      ? ""
      : `## ${t("Tags")}\n\n${tags.map((tag) => `- ${escapePunctuation(tag)}`).join("\n")}`,
    ...otherSections(otherFields(server)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function otherSections(fields: readonly RecordField[]): readonly string[] {
  const left = new Set(fields);
  const texts: string[] = [];
  for (const [title, words] of sections) {
    const own = [...left].filter(({ pointer }) => words.test(wordsOf(pointer)));
    for (const field of own) left.delete(field);
    if (own.length > 0) texts.push(`## ${title()}\n\n${fieldTable(own)}`);
  }
  if (left.size > 0) texts.push(`## ${t("Other fields")}\n\n${fieldTable([...left])}`);
  return texts;
}

/** The names in a pointer, separated so that `os` doesn't match in `position`. */
function wordsOf(pointer: string): string {
  return pointer.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}

function fieldTable(fields: readonly RecordField[]): string {
  return table(
    [t("Field"), t("Value")],
    fields.map(({ pointer, value }) => [pointer, value] as const),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    line(head.map(() => "---")),
    ...rows.map((cells) => line(cells.map((cell) => escapePunctuation(sanitizeLabel(cell, 500))))),
  ].join("\n");
}

/**
 * Escapes every character that Markdown could interpret, for documents that are only read rendered: the text is shown
 * literally, loads nothing, and not even a bare URL becomes a link.
 */
export function escapePunctuation(text: string): string {
  return sanitizeLabel(text, 2_000).replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

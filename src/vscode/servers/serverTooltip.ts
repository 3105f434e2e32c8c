import * as vscode from "vscode";
import { plainText } from "../../core/plainText.ts";
import { otherFields } from "../../core/servers/otherFields.ts";
import type { Row } from "../../core/servers/serverRows.ts";
import { factText, labelledFacts, serverName } from "../../core/servers/serverWords.ts";

const maxOtherFields = 20;

/**
 * Facts with the fields that they were read from, then what else the record holds. What a server supplied goes
 * through `appendText` only, which escapes Markdown; the string is not trusted.
 */
export function createTooltip(row: Row): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  if (row.kind === "notice") return tooltip.appendText(plainText(row.message, 1_000));
  const { server, staleSince } = row;
  tooltip.appendText(serverName(server));
  if (staleSince !== undefined) {
    tooltip.appendText(vscode.l10n.t("\nNot refreshed since {0}", staleSince));
  }
  tooltip.appendMarkdown("\n\n---\n\n");
  const facts = labelledFacts(server).map(
    ([label, fact]) => `${label}: ${factText(fact)}${origin(fact.source)}`,
  );
  tooltip.appendText(facts.join("\n"));
  const others = otherFields(server, maxOtherFields);
  if (others.length === 0) return tooltip;
  tooltip.appendMarkdown(`\n\n---\n\n${vscode.l10n.t("Other fields")}\n\n`);
  return tooltip.appendText(others.map(({ value, source }) => `${source}: ${value}`).join("\n"));
}

/** The field that a fact was read from; the name of a scalar entry has none. */
function origin(source: string): string {
  return source === "" ? "" : `  (${plainText(source, 80)})`;
}

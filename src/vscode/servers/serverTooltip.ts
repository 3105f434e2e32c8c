import * as vscode from "vscode";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { otherFields } from "../../core/servers/details/recordFields.ts";
import type { RecordField } from "../../core/servers/details/recordFields.ts";
import type { Server } from "../../core/servers/server.ts";
import { shownFacts, tooltipPlaces } from "../../core/servers/serverFacts.ts";
import { jobLines } from "../../core/servers/jobs/jobText.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { countText, profileDescription } from "../../core/servers/tree/rowLabels.ts";
import type { TreeRow, ServerRow } from "../../core/servers/tree/rows.ts";

const maxOtherFields = 20;

/**
 * Facts with the fields that they were read from, then the rest of the record. Text from a server is added only with
 * `appendText`, which escapes Markdown. The string isn't trusted. `gpuLines` come right after the name of a server,
 * because a long tooltip only shows its start.
 */
export function createTooltip(row: TreeRow, gpuLines: readonly string[] = []): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  switch (row.kind) {
    case "notice":
      return tooltip.appendText(sanitizeLabel(`${row.title}. ${row.text}`, 1_000));
    case "gpu":
      return tooltip.appendText(`${serverName(row.parent.server)}\n${row.title} · ${row.text}`);
    case "job":
      return tooltip.appendText(jobLines(row.job).join("\n"));
    case "port":
      return tooltip.appendText(
        `${serverName(row.parent.server)}\n${row.title} · ${row.text}\n${row.problem ?? ""}`,
      );
    case "group":
      return tooltip.appendText(`${row.name.label}: ${countText(row.rows.length)}`);
    case "profile": {
      const { profileName, host, snapshot } = row.section;
      const lines = [profileName, host, profileDescription(row), snapshot.error?.message];
      return tooltip.appendText(lines.filter((line) => line !== undefined && line !== "").join("\n"));
    }
    case "server":
      return serverTooltip(tooltip, row, gpuLines);
  }
}

function serverTooltip(
  tooltip: vscode.MarkdownString,
  row: ServerRow,
  gpuLines: readonly string[],
): vscode.MarkdownString {
  const { server, staleSince } = row;
  tooltip.appendText(serverName(server));
  if (staleSince !== undefined) {
    tooltip.appendText(vscode.l10n.t("\nNot refreshed since {0}", staleSince));
  }
  if (gpuLines.length > 0) tooltip.appendMarkdown("\n\n---\n\n").appendText(gpuLines.join("\n"));
  tooltip.appendMarkdown("\n\n---\n\n");
  const facts = shownFacts(server, tooltipPlaces).map(
    ({ label, text, source }) => `${label}: ${text}${origin(source)}`,
  );
  tooltip.appendText(facts.join("\n"));
  const others = tooltipFields(server);
  if (others.length === 0) return tooltip;
  tooltip.appendMarkdown(`\n\n---\n\n${vscode.l10n.t("Other fields")}\n\n`);
  return tooltip.appendText(
    others
      .map(
        ({ pointer, value }) =>
          `${sanitizeLabel(pointer.slice(1).replaceAll("/", "."), 120)}: ${sanitizeLabel(value, 120)}`,
      )
      .join("\n"),
  );
}

/** The other fields that a user may look for: short ones, a record's own before those of its objects. */
function tooltipFields(server: Server): readonly RecordField[] {
  const depthOf = ({ pointer }: RecordField): number => pointer.split("/").length;
  return otherFields(server)
    .filter(({ value }) => value.length <= 300)
    .toSorted((first, next) => depthOf(first) - depthOf(next))
    .slice(0, maxOtherFields);
}

/** The field from which a fact was read. The name of a scalar entry doesn't have one. */
function origin(source: string): string {
  return source === "" ? "" : `  (${sanitizeLabel(source, 80)})`;
}

import * as vscode from "vscode";
import { sanitizeLabel, escapeCodicons } from "../../core/kernel/foreignText.ts";
import type { RecordField } from "../../core/servers/details/recordFields.ts";
import { recordFields, secretFields } from "../../core/servers/details/recordFields.ts";
import { recordSchema } from "../../core/servers/details/recordSchema.ts";
import { mappedFields } from "../../core/servers/fieldMapping.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import { chooseServer } from "./chooseServer.ts";
import type { ServersView } from "./serversView.ts";
import { showMarkdown } from "../shell/textDocuments.ts";
import { setStatusBarMessage, showInformationMessage, showQuickPick } from "../shell/window.ts";

const mappingSetting = "servers.fieldMapping";

/** The actions on a server's record. */
export const recordActions = {
  async showServerDetails(serversView: ServersView, row?: Row): Promise<void> {
    const chosen = await chooseServer(serversView, row);
    if (chosen === undefined) return;
    await showMarkdown(serversView.records.detailsUri(chosen));
  },
  async showServerRecord(serversView: ServersView, row?: Row): Promise<void> {
    const chosen = await chooseServer(serversView, row);
    if (chosen !== undefined) await serversView.records.show(chosen);
  },
  async revealServerSecret(serversView: ServersView, row?: Row): Promise<void> {
    const chosen = await chooseServer(serversView, row, ({ record }) => secretFields(record).length > 0);
    if (chosen === undefined) return;
    const items = secretFields(chosen.server.record).map((field) => ({
      label: escapeCodicons(field.pointer),
      field,
    }));
    const placeHolder = vscode.l10n.t("Select the masked field to reveal once");
    const picked = await showQuickPick(items, { placeHolder });
    if (picked !== undefined) await reveal(picked.field);
  },
  async copyServerSchema(serversView: ServersView): Promise<void> {
    const servers = serversView.lists.sections.flatMap(({ snapshot }) => snapshot.servers);
    const text = JSON.stringify(recordSchema(servers.map(({ record }) => record)), undefined, 2);
    await vscode.env.clipboard.writeText(`${text}\n`);
    setStatusBarMessage(vscode.l10n.t("Schema copied (names and types, no values)"), 5_000);
  },
  mapServerField,
};

/** Shows a single value in a dialog, which is neither logged nor stored. */
async function reveal({ pointer, value }: RecordField): Promise<void> {
  const copy = vscode.l10n.t("Copy");
  const detail = sanitizeLabel(value, 4_000);
  const picked = await showInformationMessage(pointer, { modal: true, detail }, copy);
  if (picked === copy) await vscode.env.clipboard.writeText(sanitizeLabel(value, 100_000));
}

/** Asks which field contains which fact, offering the fields of the last response, and writes that to the setting. */
async function mapServerField(serversView: ServersView): Promise<void> {
  const servers = serversView.rows.servers.slice(0, 50).map(({ server }) => server);
  const fields = mappedFields.filter((name) => name !== "list").map((name) => ({ label: name, name }));
  const placeHolderOfField = vscode.l10n.t("Select the property to map to another field");
  const field = (await showQuickPick(fields, { placeHolder: placeHolderOfField }))?.name;
  if (field === undefined) return;
  const examples = new Map<string, string>();
  for (const { record } of servers) {
    for (const { pointer, value } of recordFields(record)) {
      if (!examples.has(pointer)) examples.set(pointer, sanitizeLabel(value, 60));
    }
  }
  const reset = vscode.l10n.t("Reset to automatic detection");
  const items = [
    { label: reset, pointer: undefined },
    ...[...examples].map(([pointer, example]) => ({
      label: escapeCodicons(pointer),
      description: example,
      pointer,
    })),
  ];
  const placeHolder = vscode.l10n.t("Field in the last response: {0}", field);
  const picked = await showQuickPick(items, { placeHolder, matchOnDescription: true });
  if (picked === undefined) return;
  const configuration = vscode.workspace.getConfiguration("inferenceGateway");
  const before: unknown = configuration.inspect(mappingSetting)?.globalValue;
  const mapping = { ...(typeof before === "object" ? before : {}), [field]: picked.pointer };
  await configuration.update(mappingSetting, mapping, vscode.ConfigurationTarget.Global);
}

import * as vscode from "vscode";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import {
  fillSavedRequest,
  formatSavedRequest,
  hasInexactInteger,
  needsRecord,
  readSavedRequests,
} from "../../../core/servers/signedRequest/savedRequest.ts";
import type { SavedRequest } from "../../../core/servers/signedRequest/savedRequest.ts";
import type { SignedRequestDraft } from "../../../core/servers/signedRequest/signedRequest.ts";
import { readRequestPath } from "../../../core/servers/signedRequest/signedRequest.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { rowLabel } from "../../../core/servers/tree/rowLabels.ts";
import { showConfirmation, showInputBox, showQuickPick, showWarningMessage } from "../../shell/window.ts";

const settingName = "requests.saved";

/** The user's own setting only: neither a workspace nor an imported profile can add a request. */
function readSetting(): unknown {
  return vscode.workspace.getConfiguration("inferenceGateway").inspect(settingName)?.globalValue;
}

/** Asks for one of the saved requests and fills in the server's record; undefined if the user cancels. */
export async function chooseSavedRequest(
  row: ServerRow,
): Promise<{ readonly draft: SignedRequestDraft; readonly saved: SavedRequest } | undefined> {
  const { requests, problems } = readSavedRequests(readSetting());
  if (problems[0] !== undefined) void showWarningMessage(problems[0]);
  if (requests.length === 0) {
    showConfirmation(
      vscode.l10n.t("No request is saved yet. Send a request, then save it from the recent requests."),
    );
    return undefined;
  }
  const items = requests.map((saved) => ({
    label: escapeCodicons(saved.name),
    description: escapeCodicons(`${saved.method} ${saved.path}`),
    saved,
  }));
  const title = vscode.l10n.t("Run Saved Request · {0}", escapeCodicons(rowLabel(row)));
  const placeHolder = vscode.l10n.t("Select a request to send for this server");
  const saved = (await showQuickPick(items, { title, placeHolder }))?.saved;
  if (saved === undefined) return undefined;
  const filled = fillSavedRequest(saved, row.server.record);
  if ("draft" in filled) return { draft: filled.draft, saved };
  void showWarningMessage(filled.problem);
  return undefined;
}

/** The saved requests of one base that don't need a server, as drafts to start with. */
export function savedDrafts(base: SavedRequest["base"]): readonly (readonly [string, SignedRequestDraft])[] {
  return readSavedRequests(readSetting()).requests.flatMap((saved) => {
    if (saved.base !== base || needsRecord(saved)) return [];
    const filled = fillSavedRequest(saved, undefined);
    return "draft" in filled ? [[saved.name, filled.draft] as const] : [];
  });
}

/** Asks for a name and saves the request in the user's settings. */
export async function saveRequest(draft: SignedRequestDraft): Promise<void> {
  const title = vscode.l10n.t("Save Request");
  const setting = readSetting();
  const entries: readonly unknown[] = Array.isArray(setting) ? setting : [];
  const known = new Set(readSavedRequests(entries).requests.map(({ name }) => name));
  const name = await showInputBox({
    title,
    prompt: vscode.l10n.t("Name of the action"),
    ignoreFocusOut: true,
    validateInput(text) {
      if (text.trim() === "") return vscode.l10n.t("Enter a name.");
      return known.has(text.trim()) ? vscode.l10n.t("A request with this name exists already.") : undefined;
    },
  });
  if (name === undefined) return;
  const path = await showInputBox({
    title,
    value: draft.path,
    prompt: vscode.l10n.t("Path. Put fields of a server's record in braces, such as {id}."),
    ignoreFocusOut: true,
    validateInput(text) {
      const reading = readRequestPath(text);
      return "problem" in reading ? reading.problem : undefined;
    },
  });
  if (path === undefined) return;
  const confirmation = await showInputBox({
    title,
    prompt: vscode.l10n.t("Text to confirm before it is sent. May be empty."),
    ignoreFocusOut: true,
  });
  if (confirmation === undefined) return;
  if (draft.body !== undefined && hasInexactInteger(draft.body)) {
    const why = vscode.l10n.t(
      "“{0}” wasn't saved: its body has a number with more digits than a setting keeps exactly. Write it as text in quotation marks, or send the request without saving it.",
      name.trim(),
    );
    return void showWarningMessage(why);
  }
  const entry = formatSavedRequest(name.trim(), { ...draft, path: path.trim() }, confirmation);
  await vscode.workspace
    .getConfiguration("inferenceGateway")
    .update(settingName, [...entries, entry], vscode.ConfigurationTarget.Global);
  showConfirmation(vscode.l10n.t("“{0}” was saved. It is in the actions of every server.", name.trim()));
}

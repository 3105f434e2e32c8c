import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { escapeCodicons, escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { originOf } from "../../../core/kernel/httpAddress.ts";
import {
  fillSavedRequest,
  formatSavedRequest,
  hasInexactInteger,
  needsRecord,
  readSavedRequests,
} from "../../../core/servers/signedRequest/savedRequest.ts";
import type { HistoryEntry, SavedRequest } from "../../../core/servers/signedRequest/savedRequest.ts";
import {
  bodyProblem,
  parametersText,
  readParameters,
  readRequestPath,
  requestMethods,
} from "../../../core/servers/signedRequest/signedRequest.ts";
import type { RequestMethod, SignedRequestDraft } from "../../../core/servers/signedRequest/signedRequest.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { pickItem } from "../../shell/pickItem.ts";
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
      vscode.l10n.t(
        "There are no saved requests yet. Send a request, then save it from the recent requests.",
      ),
    );
    return undefined;
  }
  const items = requests.map((saved) => ({
    label: escapeCodicons(saved.name),
    description: escapeCodicons(`${saved.method} ${saved.path}`),
    saved,
  }));
  const title = vscode.l10n.t("Run Saved Request · {0}", escapeCodicons(serverName(row.server)));
  const placeHolder = vscode.l10n.t("Select a request to send for this server");
  const saved = (await showQuickPick(items, { title, placeHolder }))?.saved;
  if (saved === undefined) return undefined;
  const filled = fillSavedRequest(saved, row.server.record);
  if ("draft" in filled) return { draft: filled.draft, saved };
  void showWarningMessage(filled.problem);
  return undefined;
}

/** The saved requests of one base that don't need a server, as drafts to start with. */
function savedDrafts(base: SavedRequest["base"]): readonly (readonly [string, SignedRequestDraft])[] {
  return readSavedRequests(readSetting()).requests.flatMap((saved) => {
    if (saved.base !== base || needsRecord(saved)) return [];
    const filled = fillSavedRequest(saved, undefined);
    return "draft" in filled ? [[saved.name, filled.draft] as const] : [];
  });
}

/** Asks for a name and saves the request in the user's settings. */
async function saveRequest(draft: SignedRequestDraft): Promise<void> {
  const title = vscode.l10n.t("Save Request");
  const setting = readSetting();
  const entries: readonly unknown[] = Array.isArray(setting) ? setting : [];
  const known = new Set(readSavedRequests(entries).requests.map(({ name }) => name));
  const name = await showInputBox({
    title,
    prompt: vscode.l10n.t("Name of the request"),
    ignoreFocusOut: true,
    validateInput(text) {
      if (text.trim() === "") return vscode.l10n.t("Enter a name.");
      return known.has(text.trim()) ? vscode.l10n.t("A request with this name already exists.") : undefined;
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
      "“{0}” wasn't saved: its body contains a number with more digits than a setting can store exactly. Write it as text in quotation marks, or send the request without saving it.",
      name.trim(),
    );
    return void showWarningMessage(why);
  }
  const entry = formatSavedRequest(name.trim(), { ...draft, path: path.trim() }, confirmation);
  await vscode.workspace
    .getConfiguration("inferenceGateway")
    .update(settingName, [...entries, entry], vscode.ConfigurationTarget.Global);
  showConfirmation(
    vscode.l10n.t("“{0}” was saved. It's available in the actions of every server.", name.trim()),
  );
}

/** Asks for a request step by step, starting with a previous one if there is any. */
export async function askRequest(
  profile: Profile,
  base: SavedRequest["base"],
  history: readonly HistoryEntry[],
): Promise<SignedRequestDraft | undefined> {
  const isInference = base === "inference";
  const title = isInference
    ? vscode.l10n.t("Send API Request · {0}", profile.name)
    : vscode.l10n.t("Send Signed Request · {0}", profile.name);
  const start = await pickStart(title, base, history);
  if (start === undefined) return undefined;
  const { before } = start;
  const method = start.method ?? before?.method ?? "GET";
  const path = await askPath(title, base, before?.path ?? (isInference ? "/embeddings" : "/gpu/api/v1/"));
  if (path === undefined) return undefined;
  const fromPath = readRequestPath(path);
  if ("problem" in fromPath) return undefined;
  const known = [...fromPath.parameters, ...(before?.parameters ?? [])];
  const parameters = await askParameters(title, base, parametersText(known));
  if (parameters === undefined) return undefined;
  const isBodiless = method === "GET" || method === "HEAD";
  const body = isBodiless ? "" : await askBody(title, before?.body ?? "");
  if (body === undefined) return undefined;
  const reading = readParameters(parameters);
  if ("problem" in reading) return undefined;
  return {
    ...(isInference ? { base } : {}),
    method,
    path: fromPath.path,
    parameters: reading.parameters,
    ...(body.trim() === "" ? {} : { body }),
  };
}

interface Start {
  readonly method?: RequestMethod;
  readonly before?: SignedRequestDraft;
}

type StartItem = vscode.QuickPickItem & { readonly start: Start };

/** A method for a new request, a saved one, or one of the history. */
async function pickStart(
  title: string,
  base: SavedRequest["base"],
  history: readonly HistoryEntry[],
): Promise<Start | undefined> {
  const save = { iconPath: new vscode.ThemeIcon("save"), tooltip: vscode.l10n.t("Save Request…") };
  const methods = requestMethods.map((method) => ({ label: method, start: { method } }));
  const separator = (label: string): StartItem => ({
    label,
    kind: vscode.QuickPickItemKind.Separator,
    start: {},
  });
  const sent = history.map(({ draft, statusCode }) => ({
    label: escapeCodicons(`${draft.method} ${draft.path}`),
    description: [escapeInvisible(parametersText(draft.parameters)), statusCode].filter(Boolean).join(" · "),
    ...(draft.body === undefined ? {} : { detail: escapeInvisible(draft.body).slice(0, 120) }),
    buttons: [save],
    start: { before: draft },
  }));
  const saved = savedDrafts(base).map(([name, draft]) => ({
    label: escapeCodicons(name),
    description: escapeCodicons(`${draft.method} ${draft.path}`),
    iconPath: new vscode.ThemeIcon("bookmark"),
    start: { before: draft },
  }));
  const group = (label: string, items: readonly StartItem[]): readonly StartItem[] =>
    items.length === 0 ? [] : [separator(label), ...items];
  const items = [
    ...group(vscode.l10n.t("New"), methods),
    ...group(vscode.l10n.t("Saved"), saved),
    ...group(vscode.l10n.t("Recent"), sent),
  ];
  const picked = await pickItem(items, {
    title,
    placeholder: vscode.l10n.t("Select an HTTP method, or a saved or recent request"),
  });
  if (picked?.button === undefined) return picked?.item.start;
  if (picked.item.start.before !== undefined) await saveRequest(picked.item.start.before);
  return undefined;
}

function askPath(title: string, base: SavedRequest["base"], value: string): Thenable<string | undefined> {
  return showInputBox({
    title,
    value,
    valueSelection: [value.length, value.length],
    prompt:
      base === "inference"
        ? vscode.l10n.t("Path under the inference base URL")
        : vscode.l10n.t("Path under the gateway URL"),
    ignoreFocusOut: true,
    validateInput(text) {
      const reading = readRequestPath(text);
      return "problem" in reading ? reading.problem : undefined;
    },
  });
}

function askParameters(
  title: string,
  base: SavedRequest["base"],
  value: string,
): Thenable<string | undefined> {
  return showInputBox({
    title,
    value,
    prompt:
      base === "inference"
        ? vscode.l10n.t("Query parameters, such as name=value&name=value. Leave empty for none.")
        : vscode.l10n.t(
            "Query parameters, such as name=value&name=value. Leave empty for none. The signature is added automatically.",
          ),
    ignoreFocusOut: true,
    validateInput(text) {
      const reading = readParameters(text);
      return "problem" in reading ? reading.problem : undefined;
    },
  });
}

/** A longer body is written in an editor and read from there. */
async function askBody(title: string, value: string): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const inEditor = editor?.document.languageId === "json" ? editor.document.getText() : undefined;
  if (inEditor !== undefined && bodyProblem(inEditor) === undefined) {
    const write = { label: vscode.l10n.t("Enter Body…") };
    const take = {
      label: vscode.l10n.t("Use the JSON from the Active Editor"),
      description: vscode.l10n.t("{0} characters", formatNumber(inEditor.length)),
    };
    const picked = await showQuickPick([write, take], {
      title,
      placeHolder: vscode.l10n.t("Request body"),
      ignoreFocusOut: true,
    });
    if (picked === undefined) return undefined;
    if (picked === take) return inEditor;
  }
  return showInputBox({
    title,
    value,
    prompt: vscode.l10n.t("Request body as JSON. Leave empty for none."),
    ignoreFocusOut: true,
    validateInput: bodyProblem,
  });
}

/** Modal, because its effect on the gateway can't be undone. */
export async function confirmRequest(
  profile: Profile,
  draft: SignedRequestDraft,
  saved?: SavedRequest,
): Promise<boolean> {
  const { base, method, path, parameters, body } = draft;
  const send = vscode.l10n.t("Send");
  const query = parameters.length === 0 ? "" : `?${parametersText(parameters)}`;
  const address = base === "inference" ? profile.inferenceBaseUrl : originOf(profile.gatewayUrl);
  const detail = [
    ...(saved?.confirmation === undefined ? [] : [saved.confirmation]),
    `${address ?? ""}${path}${query}`,
    ...(body === undefined ? [] : [body.length > 1_000 ? `${body.slice(0, 1_000)}…` : body]),
    vscode.l10n.t(
      "The request is sent once, with the profile's credential. Its effects can't be undone from here.",
    ),
  ];
  const question =
    saved === undefined
      ? vscode.l10n.t("Send this {0} request to “{1}”?", method, profile.name)
      : vscode.l10n.t("“{0}”: send this {1} request to “{2}”?", saved.name, method, profile.name);
  const options = { modal: true, detail: detail.map(escapeInvisible).join("\n\n") };
  return (await showWarningMessage(question, options, send)) === send;
}

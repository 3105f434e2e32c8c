import * as vscode from "vscode";
import type { Redaction } from "../../core/account/redaction.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { appendCase } from "../../core/suites/appendCase.ts";
import type { NewCase } from "../../core/suites/appendCase.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { isSuitePath, suiteGlob } from "../../core/suites/suitePath.ts";
import { readYaml } from "../../workers/suites/readYaml.ts";
import { changeDocument } from "../shell/changeDocument.ts";
import { passBoundaryForWriting } from "../shell/fileBoundary.ts";
import { exists, findFiles } from "../shell/findFiles.ts";
import { sha256Hex } from "../shell/digest.ts";
import { showErrorMessage, showInputBox, showQuickPick } from "../shell/window.ts";
import { writeAccepted } from "./suiteFile.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** The conversation up to a response, and the response itself. */
interface SavedResponse {
  readonly before: readonly Message[];
  readonly response: Message & { readonly model: string };
}

/** Adds the response to a prompt suite: as a case with everything before it, and as its accepted response. */
export async function saveAsTest(
  session: ChatSession,
  messageId: string,
  redaction: Redaction,
): Promise<void> {
  const saved = findResponse(session, messageId);
  if (saved === undefined)
    return void showErrorMessage(vscode.l10n.t("Only a response to a message can be saved as a test."));
  const texts = [...saved.before, saved.response].flatMap(({ text, attachments }) => [
    text,
    ...attachments.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  ]);
  if (redaction.find([saved.response.settings?.systemPrompt ?? "", ...texts].join("\n")).length > 0)
    return void showErrorMessage(
      vscode.l10n.t("The conversation contains one of your credentials and wasn't saved as a test."),
    );
  const uri = await chooseSuite();
  if (uri === undefined) return;
  const name = await showInputBox({
    title: vscode.l10n.t("Save as Test"),
    prompt: vscode.l10n.t("Enter a name for the case"),
    value: (saved.before.at(-1)?.text ?? "").trim().replace(/\s+/g, " ").slice(0, 80),
    validateInput: (value) => (value.trim() === "" ? vscode.l10n.t("Enter a name.") : undefined),
  });
  if (name === undefined) return;
  try {
    await writeTest(uri, name, saved);
  } catch (error) {
    await showErrorMessage(messageOf(error));
  }
}

/** Cases can't contain tools, so their calls and results are left out. */
export function findResponse(session: ChatSession, messageId: string): SavedResponse | undefined {
  const { messages } = session.state;
  const place = messages.findIndex(({ id }) => id === messageId);
  const response = messages[place];
  const { model } = response ?? {};
  const before = messages
    .slice(0, Math.max(0, place))
    .filter(({ role, text, attachments }) => role !== "tool" && (text !== "" || attachments.length > 0));
  if (response?.role !== "assistant" || model === undefined || before.at(-1)?.role !== "user")
    return undefined;
  return { before, response: { ...response, model } };
}

/** A suite of the workspace, or a new one. */
async function chooseSuite(): Promise<vscode.Uri | undefined> {
  const found = await findFiles({ glob: suiteGlob, max: 200 });
  const suites = found.filter(({ path }) => isSuitePath(path));
  const items = suites.map((uri) => ({ label: escapeCodicons(vscode.workspace.asRelativePath(uri)), uri }));
  if (items.length === 0) return await askNewSuite();
  const picked = await showQuickPick(
    [{ label: `$(new-file) ${vscode.l10n.t("New Suite…")}`, uri: undefined }, ...items],
    { title: vscode.l10n.t("Save as Test"), placeHolder: vscode.l10n.t("Select a prompt suite") },
  );
  return picked === undefined ? undefined : (picked.uri ?? (await askNewSuite()));
}

async function askNewSuite(): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save as Test"),
    filters: { [vscode.l10n.t("Prompt suite")]: ["yaml", "yml", "json"] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, "chat.prompts.yaml") }),
  });
  if (uri === undefined || isSuitePath(uri.path)) return uri;
  return uri.with({ path: `${uri.path.replace(/\.(?:ya?ml|json)$/i, "")}.prompts.yaml` });
}

/** Writes the case into the suite, and shows it. */
export async function writeTest(
  requested: vscode.Uri,
  name: string,
  { before, response }: SavedResponse,
): Promise<void> {
  const uri = await passBoundaryForWriting(requested);
  if (uri === undefined) return;
  const isThere = await exists(uri);
  const document = isThere ? await vscode.workspace.openTextDocument(uri) : undefined;
  const messages = before.map(({ role, text, attachments }) => ({
    role: role === "assistant" ? ("assistant" as const) : ("user" as const),
    ...withFiles(uri, text, attachments),
  }));
  const { systemPrompt, parameters = {} } = response.settings ?? {};
  const test: NewCase = {
    name,
    model: response.model,
    ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
    parameters,
    messages: messages.map(({ role, text, files }) => ({
      role,
      text,
      attachments: files.map(({ path }) => path),
    })),
  };
  const isJson = uri.path.toLowerCase().endsWith(".json");
  const { text, added } = appendCase(document?.getText() ?? "", isJson, test, (source) => {
    const yaml = readYaml(source);
    return "root" in yaml ? yaml.root : undefined;
  });
  for (const { path, bytes } of messages.flatMap(({ files }) => files)) {
    const file = await passBoundaryForWriting(vscode.Uri.joinPath(uri, "..", ...path.split("/")));
    if (file === undefined) return;
    await vscode.workspace.fs.writeFile(file, bytes);
  }
  const preset = added.presets[0]?.name ?? "";
  const accepted = { case: added.name, model: response.model, preset, response: response.text };
  if (!(await writeAccepted(uri, [accepted]))) return;
  await replaceText(uri, document, text);
  const shown = await vscode.window.showTextDocument(uri, { preview: false });
  const at = shown.document.positionAt(added.range.start);
  shown.selection = new vscode.Selection(at, at);
  shown.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
}

/** An open suite is changed in its editor, so that the change can be undone. */
async function replaceText(
  uri: vscode.Uri,
  document: vscode.TextDocument | undefined,
  text: string,
): Promise<void> {
  if (document === undefined) return await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  const name = vscode.workspace.asRelativePath(uri);
  if (!(await changeDocument(document, text))) throw new Error(vscode.l10n.t("{0} can't be changed.", name));
  // The change stays in the editor.
  if (!(await document.save())) void showErrorMessage(vscode.l10n.t("{0} couldn't be saved.", name));
}

interface MessageFiles {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** Attached texts become part of the message, and media become files next to the suite. */
function withFiles(suite: vscode.Uri, text: string, attachments: readonly ContentPart[]): MessageFiles {
  const name = suite.path.split("/").at(-1)?.split(".")[0] ?? "suite";
  const texts = attachments.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const files = attachments.flatMap((part) => {
    if (part.type === "text") return [];
    const bytes = Buffer.from(part.data, "base64");
    const digest = sha256Hex(bytes).slice(0, 12);
    const ending = part.type === "audio" ? part.format : (part.mediaType.split("/")[1] ?? "png");
    return [{ path: `${name}.attachments/${digest}.${ending.replace(/[^\w]/g, "")}`, bytes }];
  });
  const whole = [text, ...texts].filter((one) => one !== "").join("\n\n");
  return { text: whole === "" ? " " : whole, files };
}

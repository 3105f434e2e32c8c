import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { originOf } from "../../../core/kernel/httpAddress.ts";
import {
  bodyProblem,
  parametersText,
  readParameters,
  readRequestPath,
  requestMethods,
} from "../../../core/servers/actions/signedRequest.ts";
import type { RequestBase, SignedRequestDraft } from "../../../core/servers/actions/signedRequest.ts";
import { showInputBox, showQuickPick, showWarningMessage } from "../../shell/window.ts";

/** Asks for a request step by step. */
export async function askRequest(
  profile: Profile,
  base: RequestBase,
): Promise<SignedRequestDraft | undefined> {
  const isInference = base === "inference";
  const title = vscode.l10n.t("Send Request · {0}", profile.name);
  const methods = requestMethods.map((label) => ({ label }));
  const placeHolder = vscode.l10n.t("Select an HTTP method");
  const method = (await showQuickPick(methods, { title, placeHolder }))?.label;
  if (method === undefined) return undefined;
  const address = addressOf(profile, base);
  const path = await askPath(title, base, isInference ? "/embeddings" : "/gpu/api/v1/", address);
  if (path === undefined) return undefined;
  const fromPath = readRequestPath(path, address);
  if ("problem" in fromPath) return undefined;
  const parameters = await askParameters(title, base, parametersText(fromPath.parameters));
  if (parameters === undefined) return undefined;
  const body = isRead(method) ? "" : await askBody(title);
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

function addressOf({ inferenceBaseUrl, gatewayUrl }: Profile, base?: RequestBase): string | undefined {
  return base === "inference" ? inferenceBaseUrl : originOf(gatewayUrl);
}

function askPath(
  title: string,
  base: RequestBase,
  value: string,
  address: string | undefined,
): Thenable<string | undefined> {
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
      const reading = readRequestPath(text, address);
      return "problem" in reading ? reading.problem : undefined;
    },
  });
}

function askParameters(title: string, base: RequestBase, value: string): Thenable<string | undefined> {
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

/** Whether it has no body, and changes nothing. */
function isRead(method: SignedRequestDraft["method"]): boolean {
  return method === "GET" || method === "HEAD";
}

/** A longer body is written in an editor and read from there. */
async function askBody(title: string): Promise<string | undefined> {
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
    prompt: vscode.l10n.t("Request body as JSON. Leave empty for none."),
    ignoreFocusOut: true,
    validateInput: bodyProblem,
  });
}

/** Modal, because what it changes can't be undone. */
export async function confirmRequest(profile: Profile, draft: SignedRequestDraft): Promise<boolean> {
  const { base, method, path, parameters, body } = draft;
  const send = vscode.l10n.t("Send");
  const query = parameters.length === 0 ? "" : `?${parametersText(parameters)}`;
  const detail = [
    `${addressOf(profile, base) ?? ""}${path}${query}`,
    ...(body === undefined ? [] : [body.length > 1_000 ? `${body.slice(0, 1_000)}…` : body]),
    vscode.l10n.t("The request is sent once, with the profile's credential."),
    ...(isRead(method) ? [] : [vscode.l10n.t("Its effects can't be undone from here.")]),
  ];
  const question = vscode.l10n.t("Send this {0} request to “{1}”?", method, profile.name);
  const options = { modal: true, detail: detail.map(escapeInvisible).join("\n\n") };
  return (await showWarningMessage(question, options, send)) === send;
}

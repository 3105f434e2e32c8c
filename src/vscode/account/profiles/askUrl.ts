import * as vscode from "vscode";
import { readBaseUrl } from "../../../core/account/baseUrl.ts";
import type { BaseUrlRole } from "../../../core/account/baseUrl.ts";
import { showInputBox } from "../../shell/window.ts";

/** Asks for a base URL in its final form. Undefined if the user cancels. */
export async function askUrl(role: BaseUrlRole, title: string): Promise<string | undefined> {
  const text = await showInputBox({
    title,
    prompt: urlPrompt(role),
    placeHolder: role === "inference" ? "https://inference.example.com/v1" : "https://gateway.example.com",
    ignoreFocusOut: true,
    validateInput: (value) => validateUrl(value, role),
  });
  if (text === undefined) return undefined;
  return readBaseUrl(text, role, false).url;
}

/** A value that can't be used is an error. Advice about a usable URL is a warning, which doesn't block it. */
function validateUrl(
  value: string,
  role: BaseUrlRole,
): vscode.InputBoxValidationMessage | string | undefined {
  const { url, problem } = readBaseUrl(value, role, false);
  if (problem === undefined) return undefined;
  return url === undefined
    ? problem
    : { message: problem, severity: vscode.InputBoxValidationSeverity.Warning };
}

function urlPrompt(role: BaseUrlRole): string {
  return role === "inference"
    ? vscode.l10n.t("Base URL of the inference service, including /v1")
    : vscode.l10n.t("URL of the GPU gateway, without /gpu/api/v1");
}

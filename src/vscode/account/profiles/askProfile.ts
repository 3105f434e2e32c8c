import * as vscode from "vscode";
import { readBaseUrl } from "../../../core/account/baseUrl.ts";
import type { BaseUrlRole } from "../../../core/account/baseUrl.ts";
import type { GatewayCredentialKind } from "../../../core/kernel/credential.ts";
import { readProfileName } from "../../../core/account/parseProfiles.ts";
import type { ProfileOptions } from "../../../core/account/profileSettings.ts";
import { showInputBox, showQuickPick } from "../../shell/window.ts";
import { gatewayKinds, credentialKinds } from "../../../core/account/credentialKinds.ts";

/** Asks for a new profile, step by step. Undefined if the user cancels. */
export async function askProfile(takenNames: readonly string[]): Promise<ProfileOptions | undefined> {
  const name = await askName(takenNames);
  if (name === undefined) return undefined;
  const inferenceBaseUrl = await askUrl("inference", { isOptional: true, title: addTitle(2) });
  if (inferenceBaseUrl === undefined) return undefined;
  const isOptional = inferenceBaseUrl !== "";
  const gatewayUrl = await askUrl("gateway", { isOptional, title: addTitle(3) });
  if (gatewayUrl === undefined) return undefined;
  const inference = inferenceBaseUrl === "" ? {} : { inferenceBaseUrl };
  if (gatewayUrl === "") return { name, ...inference };
  const gatewayCredential = await pickGatewayCredential(addTitle(4));
  if (gatewayCredential === undefined) return undefined;
  return { name, ...inference, gatewayUrl, gatewayCredential };
}

/** Asks for a base URL in its final form. Empty if that is allowed; undefined if the user cancels. */
export async function askUrl(
  role: BaseUrlRole,
  { isOptional, title }: { readonly isOptional: boolean; readonly title: string },
): Promise<string | undefined> {
  const text = await showInputBox({
    title,
    prompt: urlPrompt(role, isOptional),
    placeHolder: role === "inference" ? "https://inference.example.com/v1" : "https://gateway.example.com",
    ignoreFocusOut: true,
    validateInput: (value) => validateUrl(value, role, isOptional),
  });
  if (text === undefined) return undefined;
  return readBaseUrl(text, role, false).url ?? "";
}

async function askName(takenNames: readonly string[]): Promise<string | undefined> {
  const text = await showInputBox({
    title: addTitle(1),
    prompt: vscode.l10n.t("Name of the profile, such as the name of your cloud"),
    ignoreFocusOut: true,
    validateInput(value) {
      const { name, problem } = readProfileName(value);
      if (name === undefined) return problem;
      if (takenNames.includes(name)) return vscode.l10n.t("A profile with this name already exists.");
      return undefined;
    },
  });
  return text?.trim();
}

async function pickGatewayCredential(title: string): Promise<GatewayCredentialKind | undefined> {
  const items = gatewayKinds.map((credential) => {
    const { label, hint } = credentialKinds[credential];
    return { label: label(), detail: hint(), credential };
  });
  const placeHolder = vscode.l10n.t("Select how requests to the GPU gateway are authenticated");
  const picked = await showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
  return picked?.credential;
}

/** A value that can't be used is an error. Advice about a usable URL is a warning, which doesn't block it. */
function validateUrl(
  value: string,
  role: BaseUrlRole,
  isOptional: boolean,
): vscode.InputBoxValidationMessage | string | undefined {
  if (value.trim() === "" && isOptional) return undefined;
  const { url, problem } = readBaseUrl(value, role, false);
  if (problem === undefined) return undefined;
  return url === undefined
    ? problem
    : { message: problem, severity: vscode.InputBoxValidationSeverity.Warning };
}

function urlPrompt(role: BaseUrlRole, isOptional: boolean): string {
  if (role === "inference") {
    return vscode.l10n.t("Base URL of the inference service, including /v1 (leave empty for servers only)");
  }
  return isOptional
    ? vscode.l10n.t("URL of the GPU gateway, without /gpu/api/v1 (leave empty for chat only)")
    : vscode.l10n.t("URL of the GPU gateway, without /gpu/api/v1");
}

function addTitle(step: number): string {
  return vscode.l10n.t("Add Profile ({0}/4)", step);
}

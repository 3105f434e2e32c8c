import * as vscode from "vscode";
import type { Credential } from "../../../core/kernel/credential.ts";
import type { ErrorFacts } from "../../../core/kernel/errors.ts";
import { classifyFailure } from "../../../core/account/secretCheck.ts";
import { logFailure } from "../../../core/kernel/failureMessage.ts";
import { parseProfiles } from "../../../core/account/parseProfiles.ts";
import { endpointProfile } from "../../../core/servers/connect/modelEndpoint.ts";
import { askCredential } from "../../account/credentials/askCredential.ts";
import type { ServersContext } from "../serversHost.ts";
import { showWarningMessage, withProgress } from "../../shell/window.ts";

/** The result of checking an endpoint that the user wants as a profile. */
export interface CheckedEndpoint {
  /** Undefined if it couldn't be checked and the user wants it anyway. */
  readonly modelCount: number | undefined;
  readonly credential: Credential | undefined;
}

type Answer = { readonly modelCount: number } | { readonly error: ErrorFacts } | undefined;

/**
 * Requests the endpoint's models, first without a key, then with one if required. Nothing is stored. `otherPlace` if
 * the user wants to use a different address. Undefined if the user cancels.
 */
export async function checkEndpoint(
  context: ServersContext,
  name: string,
  url: string,
): Promise<CheckedEndpoint | "otherPlace" | undefined> {
  let credential: Credential | undefined;
  for (;;) {
    const answer = await askModels(context, name, url, credential);
    if (answer === undefined) return undefined;
    if ("modelCount" in answer && answer.modelCount > 0) return { ...answer, credential };
    if ("error" in answer && wantsKey(answer.error)) {
      credential = await askKey(name, url, credential !== undefined);
      if (credential === undefined) return undefined;
      continue;
    }
    const decision = await decide(url, "error" in answer ? answer.error : undefined);
    if (decision === "saveAnyway") return { modelCount: undefined, credential };
    if (decision !== "tryAgain") return decision;
  }
}

/** The request was refused, or sent without a required key. */
function wantsKey({ reason }: ErrorFacts): boolean {
  return reason === "apiKey" || reason === "missingCredential";
}

async function askModels(
  { clients, log }: ServersContext,
  name: string,
  url: string,
  credential: Credential | undefined,
): Promise<Answer> {
  // A separate name, because no stored key is meant for this address.
  const [profile] = parseProfiles([endpointProfile(`${name} (check)`, url)]).profiles;
  if (profile === undefined) return undefined;
  const title = vscode.l10n.t("Loading models from {0}…", url);
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (_, token) => {
    const controller = new AbortController();
    const subscription = token.onCancellationRequested(() => controller.abort());
    try {
      const client = await clients.inference(profile, credential);
      const models = await client.listModels(controller.signal);
      log.info(`${url} lists ${models.length} models`);
      return { modelCount: models.length };
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      logFailure(log, error);
      const verdict = classifyFailure(error);
      // An account without funds: the key is correct, and the list can be loaded later.
      return "error" in verdict ? { error: verdict.error } : { modelCount: 0 };
    } finally {
      subscription.dispose();
    }
  });
}

async function askKey(name: string, url: string, wasWrong: boolean): Promise<Credential | undefined> {
  const title = wasWrong
    ? vscode.l10n.t("Invalid API key. Enter the API key for “{0}”", name)
    : vscode.l10n.t("The endpoint requires an API key. Enter the API key for “{0}”", name);
  return askCredential("apiKey", { name }, URL.parse(url)?.origin ?? url, title);
}

/** Modal, because the user is waiting for it. */
async function decide(
  url: string,
  error: ErrorFacts | undefined,
): Promise<"tryAgain" | "saveAnyway" | "otherPlace" | undefined> {
  const [tryAgain, otherPlace, saveAnyway] = [
    vscode.l10n.t("Try Again"),
    vscode.l10n.t("Choose Another Port"),
    vscode.l10n.t("Save Anyway"),
  ];
  const message =
    error === undefined
      ? vscode.l10n.t("{0} responds, but offers no models.", url)
      : vscode.l10n.t("No models were found at {0}.", url);
  const hint = vscode.l10n.t(
    "Model servers often listen on localhost only; use an SSH tunnel to reach them. Nothing has been saved.",
  );
  const detail = error === undefined ? hint : `${error.message}\n\n${hint}`;
  const picked = await showWarningMessage(message, { modal: true, detail }, tryAgain, otherPlace, saveAnyway);
  if (picked === tryAgain) return "tryAgain";
  if (picked === otherPlace) return "otherPlace";
  return picked === saveAnyway ? "saveAnyway" : undefined;
}

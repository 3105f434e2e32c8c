import * as vscode from "vscode";
import { escapeCodicons, sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { confirmRisk, showConfirmation, showInputBox, showQuickPick, withProgress } from "../shell/window.ts";
import type { Profile } from "../../core/account/profile.ts";
import { enterModelItem } from "../conversation/selectModel.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { chosenSource, meaningSetting } from "./meaningSearch.ts";
import type { MeaningSearch, MeaningSource } from "./meaningSearch.ts";

/** Turns the search by meaning on, or shows its state and lets the user turn it off. */
export async function manageMeaningSearch(search: MeaningSearch, profiles: Profiles): Promise<void> {
  if (search.source === undefined)
    return turnOn(search, chosenSource(profiles) ?? (await askForSource(search, profiles)));
  const { profile, model } = search.source;
  const { done, total, problem } = await search.progress();
  const change = { label: vscode.l10n.t("Use Another Model…") };
  const off = {
    label: vscode.l10n.t("Turn Off and Delete the Index"),
    detail: vscode.l10n.t("No more text is sent."),
  };
  const picked = await showQuickPick([change, off], {
    title: vscode.l10n.t(
      "Search by Meaning · {0} of {1} conversations are indexed",
      formatNumber(done),
      formatNumber(total),
    ),
    placeHolder:
      problem ?? vscode.l10n.t("{0} · {1}", sanitizeLabel(profile.name, 60), sanitizeLabel(model, 80)),
  });
  if (picked === change) return turnOn(search, await askForSource(search, profiles));
  if (picked !== off) return;
  // Other windows delete the index as well, once they see that it is off in the settings.
  await writeSetting(undefined);
  await search.turnOff();
  showConfirmation(vscode.l10n.t("Search by meaning is off, and its index was deleted."));
}

async function turnOn(search: MeaningSearch, source: MeaningSource | undefined): Promise<void> {
  if (source === undefined || !(await agrees(search, source))) return;
  const { profile, model } = source;
  await writeSetting({ profile: profile.name, model });
  await search.agree(source);
  showConfirmation(vscode.l10n.t("Indexing conversations in the background…"));
}

/** Shows what is sent where before anything is. */
async function agrees(search: MeaningSearch, { profile, model }: MeaningSource): Promise<boolean> {
  const { total } = await search.progress();
  const address = `${profile.inferenceBaseUrl?.replace(/(?<!\/)\/+$/, "") ?? ""}/embeddings`;
  const detail = [
    vscode.l10n.t(
      "Text: what you and the models have written in all {0} conversations, and what you search for.",
      formatNumber(total),
    ),
    vscode.l10n.t("Sent to: {0}", address),
    vscode.l10n.t("Model: {0}", model),
    vscode.l10n.t(
      "The text is sent in the background, now and whenever it changes, without images, audio, and attachments. Secrets that are recognized are masked. The requests count toward your usage and budget.",
    ),
    vscode.l10n.t(
      "The index is stored on this machine only. You can turn this off and delete it at any time.",
    ),
  ].join("\n\n");
  return confirmRisk({
    question: vscode.l10n.t(
      "Send the text of your conversations to “{0}” to find them by meaning?",
      profile.name,
    ),
    detail,
    accept: vscode.l10n.t("Send and Index"),
    decline: vscode.l10n.t("Don't Send"),
    isExpected: true,
  });
}

async function askForSource(search: MeaningSearch, profiles: Profiles): Promise<MeaningSource | undefined> {
  const suitable = profiles.all.filter(({ inferenceBaseUrl }) => inferenceBaseUrl !== undefined);
  if (suitable.length === 0) {
    showConfirmation(vscode.l10n.t("No profile has an inference base URL to send the request to."));
    return undefined;
  }
  const title = vscode.l10n.t("Search by Meaning");
  const items = suitable.map((profile) => ({
    label: sanitizeLabel(profile.name, 80),
    description: sanitizeLabel(profile.inferenceBaseUrl ?? "", 200),
    profile,
  }));
  const placeHolder = vscode.l10n.t("Select the profile whose embedding model is used");
  const profile =
    items.length === 1 ? items[0]?.profile : (await showQuickPick(items, { title, placeHolder }))?.profile;
  if (profile === undefined) return undefined;
  const model = await askForModel(await loadModels(search, profile));
  return model === undefined || model.trim() === "" ? undefined : { profile, model: model.trim() };
}

/** No models if the user cancels: their names can still be entered. */
function loadModels(search: MeaningSearch, profile: Profile): Promise<readonly string[]> {
  const title = vscode.l10n.t("Loading models…");
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return search.listModels(profile, abort.signal);
  });
}

/** The models that the service lists for embeddings, or a name that the user enters. */
async function askForModel(listed: readonly string[]): Promise<string | undefined> {
  const title = vscode.l10n.t("Search by Meaning");
  const enter = { ...enterModelItem(), model: undefined };
  if (listed.length > 0) {
    const items = listed.map((model) => ({ label: escapeCodicons(model), model }));
    const placeHolder = vscode.l10n.t("Select the embedding model");
    const picked = await showQuickPick([...items, enter], { title, placeHolder });
    if (picked !== enter) return picked?.model;
  }
  return showInputBox({
    title,
    prompt: vscode.l10n.t(
      "Name of an embedding model of this profile, as given in the service's documentation",
    ),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("Enter the name of a model.") : undefined),
  });
}

async function writeSetting(value: unknown): Promise<void> {
  await vscode.workspace
    .getConfiguration("inferenceGateway")
    .update(meaningSetting, value, vscode.ConfigurationTarget.Global);
}

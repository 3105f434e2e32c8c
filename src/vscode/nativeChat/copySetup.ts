import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { setupFacts } from "../../core/responses/setup/setupFacts.ts";
import type { SetupFacts } from "../../core/responses/setup/setupFacts.ts";
import { setupChoices, setupText } from "../../core/responses/setup/setups.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { enterModel, enterModelItem } from "../conversation/selectModel.ts";
import { pickItem } from "../shell/pickItem.ts";
import { showInformationMessage, showWarningMessage, withProgress } from "../shell/window.ts";
import type { NativeChatServices } from "./createNativeChat.ts";
import { ProfileModels } from "./profileModels.ts";

/** What is needed for the setup of a client. */
export interface CopySetupContext extends NativeChatServices {
  /** The last message of the user in the active chat. */
  lastMessage(): Promise<string | undefined>;
}

/**
 * Asks for a profile, a model and a client, and copies the setup that connects them. It never contains the key.
 * @param clicked The name of the profile or its row in the tree, if the command was run on it.
 */
export async function copySetup(services: CopySetupContext, clicked?: unknown): Promise<void> {
  const profile = await chooseInferenceProfile(services.profiles, profileNameOf(clicked));
  if (profile === undefined) return;
  const model = await chooseModel(services, profile);
  if (model === undefined) return;
  const { state } = await services.vault.read(profile, "apiKey");
  const hasKey = state === "present" || state === "supplied";
  const facts = setupFacts(profile, model, hasKey, await services.lastMessage());
  if (facts !== undefined) await copyFor(services, facts);
}

function profileNameOf(clicked: unknown): unknown {
  if (!isRecord(clicked)) return clicked;
  const { section } = clicked;
  return isRecord(section) ? section["profileName"] : undefined;
}

/**
 * Lets the user pick a profile with an inference service, the active one first. The only one, or the one of this name,
 * is taken without asking. Undefined if the user cancels, or if there is none, which a warning says.
 */
async function chooseInferenceProfile(
  { all, active }: Profiles,
  name: unknown,
): Promise<Profile | undefined> {
  const usable = all.filter(({ inferenceBaseUrl }) => inferenceBaseUrl !== undefined);
  const named = usable.find((profile) => profile.name === name);
  if (named !== undefined || usable.length === 1) return named ?? usable[0];
  if (usable.length === 0) {
    void showWarningMessage(
      vscode.l10n.t("No profile has an inference service. Add its URL to a profile first."),
    );
    return undefined;
  }
  const items = usable
    .toSorted((left, right) => Number(right === active) - Number(left === active))
    .map((profile) => ({
      label: escapeCodicons(profile.name),
      description: profile === active ? vscode.l10n.t("in use") : "",
      detail: profile.inferenceBaseUrl ?? "",
      profile,
    }));
  const picked = await pickItem(items, {
    title: vscode.l10n.t("Copy Setup"),
    placeholder: vscode.l10n.t("Select a profile"),
  });
  return picked?.item.profile;
}

interface ModelItem extends vscode.QuickPickItem {
  /** Absent for the entry that asks for a different name. */
  readonly model?: Model;
}

async function chooseModel(services: NativeChatServices, profile: Profile): Promise<Model | undefined> {
  const models = await loadModels(services, profile);
  const first = services.models.read(profile.name) ?? profile.defaultModel;
  const known = models.find(({ id }) => id === first);
  const listed = [
    ...(first === undefined ? [] : [known ?? { id: first }]),
    ...models.filter((model) => model !== known),
  ];
  const items: readonly ModelItem[] = [
    ...listed.map((model) => ({
      label: escapeCodicons(model.id),
      description: model.id === first ? vscode.l10n.t("in use") : "",
      model,
    })),
    enterModelItem(),
  ];
  const picked = await pickItem(items, {
    title: vscode.l10n.t("Copy Setup"),
    placeholder: vscode.l10n.t("Select a model"),
  });
  if (picked === undefined || picked.item.model !== undefined) return picked?.item.model;
  const rememberTyped = (id: string): void => void services.models.rememberTyped(profile.name, id);
  const id = await enterModel({ rememberTyped });
  return id === undefined ? undefined : { id };
}

/** The last known models, or those that the service lists within a few seconds. */
async function loadModels(services: NativeChatServices, profile: Profile): Promise<readonly Model[]> {
  const source = new ProfileModels(services);
  try {
    const lists = await withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
      () => source.list(),
    );
    return lists.find((list) => list.profile.name === profile.name)?.models ?? [];
  } finally {
    source.dispose();
  }
}

async function copyFor({ redaction }: NativeChatServices, facts: SetupFacts): Promise<void> {
  const open = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: vscode.l10n.t("Open in Editor") };
  const items = setupChoices().map(({ id, label, hint }) => ({
    label,
    description: hint,
    buttons: [open],
    id,
  }));
  const picked = await pickItem(items, {
    title: vscode.l10n.t("Copy Setup of {0}", facts.model),
    placeholder: vscode.l10n.t("Select what to connect. Your key isn't copied."),
  });
  if (picked === undefined) return;
  const setup = setupText(picked.item.id, facts);
  if ("problem" in setup) return void showWarningMessage(setup.problem);
  const { text, language } = setup;
  // They can only contain a secret by mistake, such as a key pasted into a different header.
  if (redaction.find(text).length > 0) {
    void showWarningMessage(
      vscode.l10n.t(
        "Nothing was copied: the profile's settings or your last message contain one of your stored secrets. Remove it there.",
      ),
    );
    return;
  }
  const show = async (): Promise<void> => {
    const document = await vscode.workspace.openTextDocument({ content: text, language });
    await vscode.window.showTextDocument(document);
  };
  if (picked.button !== undefined) return show();
  await vscode.env.clipboard.writeText(text);
  const message = vscode.l10n.t("The setup for {0} was copied without your key.", picked.item.label);
  const label = vscode.l10n.t("Open in Editor");
  if ((await showInformationMessage(message, label)) === label) await show();
}

import * as vscode from "vscode";
import { compareSecrets, createCredentialRow, credentialNoun } from "../../../core/account/credentialRow.ts";
import type { CredentialAction, CredentialRow } from "../../../core/account/credentialRow.ts";
import { describeSource } from "../../../core/account/formatSource.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import type { SuppliedFacts } from "../../../core/account/suppliedCredentials.ts";
import { formatRemaining } from "../../../core/kernel/formatTime.ts";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { pickItem } from "../../shell/pickItem.ts";
import { profileColor } from "../profileIcon.ts";
import { askExpiry } from "./askCredential.ts";
import { removeEverything } from "./removeCredentials.ts";
import { createKeyButtons, openConsole } from "./openConsole.ts";
import { runSetCredential } from "./setCredentialCommand.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { showInformationMessage, showQuickPick, showWarningMessage } from "../../shell/window.ts";
import { credentialKinds, secretKinds, isGatewayKind } from "../../../core/account/credentialKinds.ts";

type RunAction = (context: CredentialContext, secret: StoredSecret) => Promise<void>;

/** The actions on a stored secret. */
const credentialActions: Readonly<Record<CredentialAction, RunAction>> = {
  replace: (context, { kind, profileName }) => runSetCredential(context, kind, profileName),
  async setExpiry({ vault }, { profileName, kind }) {
    const answer = await askExpiry(kind, profileName);
    if (answer !== undefined) await vault.setExpiry(profileName, kind, answer.expiresAt);
  },
  async remove({ vault, log }, secret) {
    const { profileName, kind } = secret;
    const question = vscode.l10n.t("Remove the {0} from “{1}”?", credentialNoun(secret), profileName);
    const detail = vscode.l10n.t(
      "The credential is deleted from this machine only. It stays valid until you revoke it on the server.",
    );
    const removeIt = vscode.l10n.t("Remove");
    if ((await showWarningMessage(question, { modal: true, detail }, removeIt)) !== removeIt) return;
    await vault.remove(profileName, kind);
    log.info(`${kind} of “${profileName}” removed`);
  },
};

interface CredentialItem extends vscode.QuickPickItem {
  readonly actions?: readonly CredentialAction[];
  /** What the only button does, for a credential that isn't set. */
  openConsole?(): Promise<void>;
  /** What selecting the item does; undefined for headings. */
  run?(action: CredentialAction | undefined): Promise<void>;
}

/** Shows what is stored, never a value, and the actions for each item. Opens again after every action. */
export async function manageCredentials(context: CredentialContext): Promise<void> {
  for (;;) {
    const items = await createItems(context);
    if (items.length === 0) return offerProfile();
    const picked = await pickItem(items, {
      title: vscode.l10n.t("Credentials"),
      placeholder: vscode.l10n.t("Select a credential to replace or remove"),
    });
    if (picked?.item.run === undefined) return;
    if (picked.button !== undefined && picked.item.openConsole !== undefined) {
      await picked.item.openConsole();
      continue;
    }
    const at = picked.button === undefined ? -1 : (picked.item.buttons?.indexOf(picked.button) ?? -1);
    await picked.item.run(picked.item.actions?.[at]);
  }
}

async function offerProfile(): Promise<void> {
  const add = vscode.l10n.t("Add Profile…");
  const message = vscode.l10n.t("No credentials are stored, and there is no profile yet.");
  const picked = await showInformationMessage(message, add);
  if (picked === add) await vscode.commands.executeCommand(commandIds.addProfile);
}

async function createItems(context: CredentialContext): Promise<readonly CredentialItem[]> {
  const { profiles, vault } = context;
  const now = Date.now();
  const secrets = await vault.list();
  const rows = secrets
    .toSorted(compareSecrets)
    .map((secret) => createCredentialRow(secret, profiles.find(secret.profileName), now));
  const forgotten = [...new Set(secrets.map(({ profileName }) => profileName))].filter(
    (name) => profiles.find(name) === undefined,
  );
  const names = [...profiles.names, ...forgotten];
  const createGroup = async (name: string): Promise<readonly CredentialItem[]> => {
    const own = rows.filter(({ secret }) => secret.profileName === name);
    const profile = profiles.find(name);
    const missing = profile === undefined ? [] : findMissing(profile, own);
    return [
      createHeading(name, profile),
      ...own.map((row) => createRowItem(context, row)),
      ...(profile === undefined ? [] : await createSuppliedItems(context, profile)),
      ...(profile === undefined ? [] : missing.map((kind) => createMissingItem(context, profile, kind))),
    ];
  };
  const items = (await Promise.all(names.map(createGroup))).flat();
  return secrets.length === 0 ? items : [...items, ...createRemoveAll(context)];
}

function createHeading(name: string, profile: Profile | undefined): CredentialItem {
  const label =
    profile === undefined
      ? vscode.l10n.t("{0} (profile deleted)", name)
      : profile.production === true
        ? vscode.l10n.t("{0} (production)", name)
        : name;
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function createRowItem(context: CredentialContext, row: CredentialRow): CredentialItem {
  const { secret, label, state, detail, isGood, actions } = row;
  const profile = context.profiles.find(secret.profileName);
  return {
    label,
    description: state,
    detail,
    iconPath:
      isGood && profile !== undefined
        ? new vscode.ThemeIcon("key", profileColor(profile))
        : new vscode.ThemeIcon("warning"),
    buttons: actions.map((action) => ({
      iconPath: new vscode.ThemeIcon(actionIcons[action]),
      tooltip: actionLabel(action),
    })),
    actions,
    async run(action) {
      const chosen = action ?? (await chooseAction(row));
      if (chosen !== undefined) await credentialActions[chosen](context, secret);
    },
  };
}

/** What commands, files and variables supply. Selecting one of them asks its source again. */
async function createSuppliedItems(
  context: CredentialContext,
  profile: Profile,
): Promise<readonly CredentialItem[]> {
  const items = secretKinds.map(async (kind): Promise<readonly CredentialItem[]> => {
    const source = profile.credentialSources?.[kind];
    if (source === undefined) return [];
    const facts = await context.vault.suppliedFacts(profile, kind);
    const { label } = credentialKinds[kind];
    const item: CredentialItem = {
      label: facts?.lastFour === undefined ? label() : `${label()} ····${facts.lastFour}`,
      description: describeSupplied(facts),
      detail: vscode.l10n.t("Supplied by {0} · select to renew it", describeSource(source)),
      iconPath: new vscode.ThemeIcon("sync", profileColor(profile)),
      run: () => runSetCredential(context, kind, profile.name),
    };
    return [item];
  });
  return (await Promise.all(items)).flat();
}

function describeSupplied(facts: SuppliedFacts | undefined): string {
  if (facts === undefined) return vscode.l10n.t("not needed yet");
  return facts.expiresAt === undefined
    ? vscode.l10n.t("renewed when it is rejected")
    : vscode.l10n.t("renewed in {0}", formatRemaining(Math.max(0, facts.expiresAt - Date.now())));
}

function createMissingItem(context: CredentialContext, profile: Profile, kind: SecretKind): CredentialItem {
  const { name } = profile;
  return {
    buttons: createKeyButtons(profile, kind),
    openConsole: () => openConsole(profile, kind),
    label: vscode.l10n.t("$(add) Set {0}…", credentialKinds[kind].label()),
    description: vscode.l10n.t("not set yet"),
    run: () => runSetCredential(context, kind, name),
  };
}

function createRemoveAll(context: CredentialContext): readonly CredentialItem[] {
  return [
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t("$(clear-all) Remove Everything…"), run: () => removeEverything(context) },
  ];
}

/** The kinds of credentials that the profile would use if it had them. */
function findMissing(profile: Profile, rows: readonly CredentialRow[]): readonly SecretKind[] {
  const used = secretKinds.filter((kind) =>
    isGatewayKind(kind)
      ? profile.gatewayUrl !== undefined && kind === profile.gatewayCredential
      : profile.inferenceBaseUrl !== undefined,
  );
  const unsupplied = used.filter((kind) => profile.credentialSources?.[kind] === undefined);
  return unsupplied.filter((kind) => !rows.some(({ secret }) => secret.kind === kind));
}

async function chooseAction({
  label,
  detail,
  secret,
  actions,
}: CredentialRow): Promise<CredentialAction | undefined> {
  const items = actions.map((action) => ({
    label: actionLabel(action),
    iconPath: new vscode.ThemeIcon(actionIcons[action]),
    action,
  }));
  const title = vscode.l10n.t("{0} for “{1}”", label, secret.profileName);
  const picked = await showQuickPick(items, { title, placeHolder: detail });
  return picked?.action;
}

const actionIcons: Readonly<Record<CredentialAction, string>> = {
  replace: "edit",
  setExpiry: "watch",
  remove: "trash",
};

function actionLabel(action: CredentialAction): string {
  const labels = {
    replace: vscode.l10n.t("Replace…"),
    setExpiry: vscode.l10n.t("Set Expiry…"),
    remove: vscode.l10n.t("Remove…"),
  };
  return labels[action];
}

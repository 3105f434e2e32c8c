import * as vscode from "vscode";
import { credentialLabel } from "../../../core/account/credentialRow.ts";
import { describeSource } from "../../../core/account/formatSource.ts";
import { describeProfile } from "../../../core/account/profile.ts";
import { findInVariables } from "../../../core/account/environmentProfiles.ts";
import type { FoundProfile } from "../../../core/account/environmentProfiles.ts";
import { createProfileEntry, placeProfile, readProfileFile } from "../../../core/account/profileFile.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import { secretTexts } from "../../../core/account/credentialKinds.ts";
import { lastFour } from "../../../core/account/storedSecret.ts";
import type { Credential } from "../../../core/kernel/credential.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { showInformationMessage, showQuickPick, showWarningMessage } from "../../shell/window.ts";
import { acceptCredential } from "../credentials/acceptCredential.ts";
import { askCredential } from "../credentials/askCredential.ts";
import type { CredentialContext } from "../credentials/checkCredential.ts";
import { profileIcon } from "../profileIcon.ts";

const largestBytes = 1_000_000;

/** Imports profiles from environment variables or a file, and the credentials with them once a server accepts them. */
export async function importProfiles(context: CredentialContext): Promise<void> {
  const found = await findProfiles();
  if (found === undefined || found.length === 0) return;
  for (const { credentials } of found) {
    for (const text of credentials.flatMap(secretTexts)) context.redaction.remember(text);
  }
  const chosen = await chooseFound(found);
  if (chosen === undefined || chosen.length === 0) return;
  const names: string[] = [];
  let secretCount = 0;
  for (const { profile, credentials } of chosen) {
    const name = await addImported(context, profile);
    names.push(name);
    for (const credential of credentials) {
      if (await importCredential(context, name, credential)) secretCount++;
    }
  }
  context.log.info(`Imported: ${names.length} profiles, ${secretCount} credentials`);
  const select = vscode.l10n.t("Select Profile");
  const message = vscode.l10n.t(
    "Imported {0}. Credentials stored: {1}.",
    names.join(", "),
    formatNumber(secretCount),
  );
  const picked = await showInformationMessage(message, select);
  if (picked === select) await vscode.commands.executeCommand(commandIds.selectProfile);
}

async function findProfiles(): Promise<readonly FoundProfile[] | undefined> {
  const inVariables = findInVariables(process.env);
  const fromVariables = {
    label: vscode.l10n.t("Environment Variables"),
    detail: vscode.l10n.t(
      "For example EXAMPLE_BASE_URL, EXAMPLE_API_KEY, or EXAMPLE_GATEWAY_URL. Found: {0}",
      formatNumber(inVariables.length),
    ),
    iconPath: new vscode.ThemeIcon("symbol-variable"),
  };
  const fromFile = {
    label: vscode.l10n.t("File…"),
    detail: vscode.l10n.t("A profile export or a .env file"),
    iconPath: new vscode.ThemeIcon("file"),
  };
  const picked = await showQuickPick([fromVariables, fromFile], {
    title: vscode.l10n.t("Import Profiles"),
    placeHolder: vscode.l10n.t("Select where to import profiles from"),
  });
  if (picked === fromFile) return readFile();
  if (picked !== fromVariables) return undefined;
  if (inVariables.length === 0) {
    void showInformationMessage(
      vscode.l10n.t(
        "VS Code was started without environment variables for a profile, such as EXAMPLE_BASE_URL.",
      ),
    );
  }
  return inVariables;
}

async function readFile(): Promise<readonly FoundProfile[] | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Import Profiles"),
      defaultUri: exportFolder(),
    })) ?? [];
  if (uri === undefined) return undefined;
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > largestBytes) {
    void showWarningMessage(vscode.l10n.t("This file is too large to be a list of profiles."));
    return undefined;
  }
  const { found, problems } = readProfileFile(
    new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
  );
  if (problems.length > 0) void showWarningMessage(problems.slice(0, 3).join(" "));
  return found;
}

async function chooseFound(found: readonly FoundProfile[]): Promise<readonly FoundProfile[] | undefined> {
  const items = found.map((one) => ({
    label: escapeCodicons(one.profile.name),
    description: describeProfile(one.profile),
    detail: describeFound(one),
    iconPath: profileIcon(one.profile),
    picked: true,
    one,
  }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Import Profiles"),
    placeHolder: vscode.l10n.t(
      "Select the credentials to import. Each one is sent only to the address shown next to it.",
    ),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ one }) => one);
}

function describeFound({ profile, credentials }: FoundProfile): string {
  const parts = [
    ...credentials.map(labelOf),
    ...Object.values(profile.credentialSources ?? {}).map((source) =>
      vscode.l10n.t("gets a credential from {0}", describeSource(source)),
    ),
    ...(profile.allowInsecureHttp ? [vscode.l10n.t("allows credentials over plain HTTP")] : []),
  ];
  return parts.length === 0 ? vscode.l10n.t("without credentials") : parts.join(" · ");
}

function labelOf(credential: Credential): string {
  const tail = lastFour(credential);
  const facts = { origin: "", savedAt: 0, ...(tail === undefined ? {} : { lastFour: tail }) };
  return credentialLabel({ profileName: "", kind: credential.kind, facts });
}

/** Returns the name that the added profile actually has. */
async function addImported(
  { profiles }: CredentialContext,
  profile: FoundProfile["profile"],
): Promise<string> {
  const { name, isNew } = placeProfile(profiles.all, profile);
  if (!isNew) return name;
  const raw = profiles.readRaw();
  const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
  await profiles.writeRaw([...entries, { ...createProfileEntry(profile), name }]);
  return name;
}

/** Stores a credential found in an external source once the server accepts it, or if the user wants it anyway. */
async function importCredential(
  context: CredentialContext,
  profileName: string,
  found: Credential,
): Promise<boolean> {
  const profile = context.profiles.find(profileName);
  const { kind } = found;
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return false;
  let given: Credential | undefined = found;
  const accepted = await acceptCredential(context, {
    profile,
    kind,
    origin,
    ask(known) {
      const next = given;
      given = undefined;
      return next === undefined ? askCredential(kind, profile, origin, known) : Promise.resolve(next);
    },
  });
  if (accepted === undefined) return false;
  await context.vault.store(profile, accepted.credential);
  return true;
}

import * as vscode from "vscode";
import { credentialLabel } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { pickItem } from "../../shell/pickItem.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { noIcons } from "../../../core/kernel/noIcons.ts";

/** The profiles that these secrets belong to, the one in use first; those that don't exist any more too. */
export function ownersOf(secrets: readonly StoredSecret[], profiles: Profiles): readonly string[] {
  const names = [...new Set(secrets.map(({ profileName }) => profileName))];
  const known = profiles.names.filter((name) => names.includes(name));
  const active = known.filter((name) => name === profiles.active?.name);
  return [...new Set([...active, ...known, ...names])];
}

/** What stands in one row of the question. */
export interface OwnerItem extends vscode.QuickPickItem {
  /** Undefined stands for all of them. */
  readonly profileName?: string;
}

/** Lets the user say which of several profiles a command acts on; undefined when the user turns away. */
export async function chooseOwner(
  secrets: readonly StoredSecret[],
  profiles: Profiles,
  title: string,
  more: readonly OwnerItem[] = [],
): Promise<OwnerItem | undefined> {
  const owners = ownersOf(secrets, profiles).map((name) => createItem(name, secrets, profiles));
  if (owners.length <= 1) return owners[0];
  const placeholder = vscode.l10n.t("Select a profile");
  return (await pickItem([...owners, ...more], { title, placeholder }))?.item;
}

/** The credentials of a profile in words: the kinds with their last characters. */
export function labelsOf(profileName: string, secrets: readonly StoredSecret[]): string {
  const own = secrets.filter((secret) => secret.profileName === profileName);
  return own.map((secret) => credentialLabel(secret)).join(", ");
}

function createItem(name: string, secrets: readonly StoredSecret[], profiles: Profiles): OwnerItem {
  const profile = profiles.find(name);
  const states = [
    ...(profile === undefined ? [vscode.l10n.t("profile deleted")] : []),
    ...(profile?.production === true ? [vscode.l10n.t("production")] : []),
    ...(name === profiles.active?.name ? [vscode.l10n.t("in use")] : []),
  ];
  return {
    label: noIcons(name),
    description: states.join(" · "),
    detail: labelsOf(name, secrets),
    profileName: name,
  };
}

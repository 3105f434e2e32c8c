import * as vscode from "vscode";
import { remediesFor, remedyLabel } from "../../../core/account/remedies.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { ErrorFacts } from "../../../core/kernel/errors.ts";
import { showWarningMessage } from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { runRemedy } from "../runRemedy.ts";

/** The profiles and reasons of the notifications that are still open. */
const open = new Set<string>();

/**
 * Reports that the gateway rejected a profile's credential, why, and what to do about it. VS Code merges equal
 * notifications, but one that names how far the clocks differ is different with every second.
 */
export async function reportRefusal(profiles: Profiles, { name }: Profile, error: ErrorFacts): Promise<void> {
  const key = JSON.stringify([name, error.reason]);
  if (open.has(key)) return;
  open.add(key);
  const text = vscode.l10n.t("“{0}”: {1}", name, error.message);
  const remedies = remediesFor(error, "notification");
  const labels = remedies.map((remedy) => remedyLabel(remedy, error));
  const picked = await showWarningMessage(text, ...labels);
  open.delete(key);
  const remedy = remedies.find((_, index) => labels[index] === picked);
  if (picked === undefined || remedy === undefined) return;
  await runRemedy(remedy, { profiles, profileName: name, address: "gatewayUrl", scheme: error.scheme });
}

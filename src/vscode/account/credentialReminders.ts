import * as vscode from "vscode";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { dueNotices, keepHandled } from "../../core/account/credentialNotices.ts";
import type { CredentialNotice } from "../../core/account/credentialNotices.ts";
import { credentialNoun } from "../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../core/account/storedSecret.ts";
import { formatDate, formatRemaining, formatAge } from "../../core/kernel/formatTime.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import { readSetting } from "../shell/settings.ts";
import { showInformationMessage, showWarningMessage } from "../shell/window.ts";

const notifiedKey = "inferenceGateway.credentialNotices";
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Shows notices about expiring tokens and old keys in the focused window, each at a limited rate. */
export class CredentialReminders {
  readonly #context: CredentialContext;
  readonly #state: vscode.Memento;

  constructor(context: CredentialContext, globalState: vscode.Memento) {
    this.#context = context;
    this.#state = globalState;
  }

  /**
   * Shows the notices that are due, only in the focused window. Other windows read from the shared state that they were
   * shown.
   */
  remind(secrets: readonly StoredSecret[], now: number): void {
    if (!vscode.window.state.focused) return;
    const own = secrets.filter(({ profileName }) => this.#context.profiles.find(profileName) !== undefined);
    const handled = this.#readHandled();
    const notices = dueNotices(own, handled, readSettings(), now);
    if (notices.length === 0) return;
    const after = new Map([...keepHandled(handled, secrets), ...notices.map(({ id }) => [id, now] as const)]);
    void this.#state.update(notifiedKey, Object.fromEntries(after));
    for (const notice of notices) void this.#notify(notice, now);
  }

  async #notify(notice: CredentialNotice, now: number): Promise<void> {
    const { secret } = notice;
    const action = actionLabel(notice);
    const message = describe(notice, now);
    const picked =
      notice.about === "ending"
        ? await showWarningMessage(message, action)
        : await showInformationMessage(message, action);
    if (picked !== action) return;
    const { credentialActions } = await import("./credentials/credentialActions.ts");
    const actions = { ending: "replace", aged: "rotate", unrevoked: "confirmRevoked" } as const;
    await credentialActions[actions[notice.about]](this.#context, secret);
  }

  #readHandled(): ReadonlyMap<string, number> {
    const value: unknown = this.#state.get(notifiedKey);
    if (!isRecord(value)) return new Map();
    return new Map(Object.entries(value).flatMap(([id, at]) => (typeof at === "number" ? [[id, at]] : [])));
  }
}

function describe({ about, secret }: CredentialNotice, now: number): string {
  const { profileName, facts } = secret;
  const noun = credentialNoun(secret);
  switch (about) {
    case "ending": {
      const left = formatRemaining((facts?.expiresAt ?? now) - now);
      return vscode.l10n.t(
        "The {0} for “{1}” expires in {2}. After that, requests are paused until a new one is set.",
        noun,
        profileName,
        left,
      );
    }
    case "aged":
      return vscode.l10n.t(
        "The {0} for “{1}” has been in use for {2}. Create a new one in the console, then rotate the credential.",
        noun,
        profileName,
        formatAge(now - (facts?.savedAt ?? now)),
      );
    case "unrevoked":
      return vscode.l10n.t(
        "The old {0} for “{1}” was replaced on {2}, but its revocation hasn't been confirmed. Revoke it in the console.",
        noun,
        profileName,
        formatDate(facts?.replacedAt ?? now),
      );
    default:
      return assertNever(about);
  }
}

function actionLabel({ about }: CredentialNotice): string {
  switch (about) {
    case "ending":
      return vscode.l10n.t("Set New Credential");
    case "aged":
      return vscode.l10n.t("Rotate Credential…");
    case "unrevoked":
      return vscode.l10n.t("Yes, It's Revoked");
    default:
      return assertNever(about);
  }
}

function readSettings(): { readonly beforeEndMs: number; readonly oldAgeMs: number } {
  return {
    beforeEndMs: readAmount("credentials.expiryWarning", 5) * minuteMs,
    oldAgeMs: readAmount("credentials.rotationReminder", 90) * dayMs,
  };
}

/** 0 turns the reminder off. */
function readAmount(name: string, otherwise: number): number {
  const value = readSetting(name);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : otherwise;
}

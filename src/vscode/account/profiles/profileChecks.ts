import * as vscode from "vscode";
import type { BaseUrlRole } from "../../../core/account/baseUrl.ts";
import { credentialKinds, isGatewayKind } from "../../../core/account/credentialKinds.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { CheckState, CheckSubject } from "../../../core/account/profileFormProtocol.ts";
import { classifyFailure } from "../../../core/account/secretCheck.ts";
import type { CheckedCredential } from "../../../core/account/secretCheck.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import type { DiagnosisPorts } from "../../../gateway/diagnosis/target.ts";
import type { Clients } from "../../shell/clientFactory.ts";
import type { CredentialContext } from "../credentials/checkCredential.ts";

/** What the pages of profiles need besides the credentials. */
export interface ProfileFormsContext extends CredentialContext {
  readonly clients: Pick<Clients, "wire">;
  readonly extensionUri: vscode.Uri;
}

/** Checks in progress. */
export interface RunningChecks {
  /** Aborted when the user stops the checks. */
  readonly signal: AbortSignal;
  /** Shows the progress or result of a check, as a full sentence. */
  readonly show: (subject: CheckSubject, state: CheckState, sentence: string) => void;
}

/**
 * Checks an address without sending any credential, and shows each step. Resolves with a sentence if it can't be
 * reached or isn't the expected service.
 */
export async function reachAddress(
  { clients, vault }: ProfileFormsContext,
  profile: Profile,
  role: BaseUrlRole,
  { signal, show }: RunningChecks,
): Promise<string | undefined> {
  show(role, "running", vscode.l10n.t("Checking the address…"));
  const [{ checkAddress }, wire] = await Promise.all([
    import("../../../gateway/diagnosis/diagnoseProfile.ts"),
    clients.wire(profile),
  ]);
  const ports: DiagnosisPorts = {
    ...wire,
    readSecret: (owner, kind) => vault.read(owner, kind),
    lastModel: undefined,
  };
  const onStep = (step: string): void => {
    if (!signal.aborted) show(role, "running", vscode.l10n.t("Checking: {0}…", step));
  };
  const steps = await checkAddress(role, { ports, profile, signal, onStep });
  // The next check of the same address has replaced what is shown.
  if (signal.aborted) return undefined;
  const decisive =
    steps.find(({ status }) => status === "failed") ??
    steps.find(({ status }) => status === "warning") ??
    steps.findLast(({ status }) => status === "passed");
  if (decisive === undefined || decisive.status === "skipped") return undefined;
  show(role, decisive.status, decisive.summary);
  return decisive.status === "failed" ? decisive.summary : undefined;
}

/** What the check of a credential has found. */
export type CredentialOutcome =
  | ({ readonly verdict: "valid" } & CheckedCredential)
  | { readonly verdict: "wrong" | "unclear"; readonly sentence: string };

/** Checks a credential with the server that it is for; undefined if the check was stopped. */
export async function checkFormCredential(
  { check, log }: ProfileFormsContext,
  profile: Profile,
  credential: Credential,
  { signal, show }: RunningChecks,
): Promise<CredentialOutcome | undefined> {
  const { kind } = credential;
  const noun = credentialKinds[kind].noun();
  const origin = secretOrigin(profile, kind) ?? "";
  show(kind, "running", vscode.l10n.t("Checking with {0}…", origin));
  const verdict = await check(profile, credential, signal).then(
    (accepted) => ({ verdict: "valid", ...accepted }) as const,
    classifyFailure,
  );
  if (signal.aborted) return undefined;
  log.info(`${kind} of “${profile.name}” checked at ${origin}: ${verdict.verdict}`);
  if (verdict.verdict === "valid") {
    show(kind, "passed", [acceptedSentence(kind, verdict), ...verdict.notes].join(" "));
    return verdict;
  }
  log.warn(verdict.error.message);
  if (verdict.verdict === "wrong") {
    // The sentence is shown as the problem of its field.
    show(kind, "failed", "");
    const summary = vscode.l10n.t("Invalid {0}. Nothing was saved.", noun);
    return { verdict: "wrong", sentence: `${summary} ${verdict.error.message}` };
  }
  const summary = vscode.l10n.t("Couldn't determine whether the {0} is valid.", noun);
  const sentence = `${summary} ${verdict.error.message}`;
  show(kind, "warning", sentence);
  return { verdict: "unclear", sentence };
}

function acceptedSentence(kind: SecretKind, { listed }: CheckedCredential): string {
  const noun = credentialKinds[kind].noun();
  if (listed === undefined) return vscode.l10n.t("The {0} was accepted.", noun);
  return isGatewayKind(kind)
    ? vscode.l10n.t("The {0} was accepted. Servers: {1}.", noun, formatNumber(listed))
    : vscode.l10n.t("The {0} was accepted. Models: {1}.", noun, formatNumber(listed));
}

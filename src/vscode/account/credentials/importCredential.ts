import type { Credential } from "../../../core/kernel/credential.ts";
import { secretOrigin, secretTexts } from "../../../core/account/secretEntry.ts";
import type { CheckVerdict } from "../../../core/account/secretCheck.ts";
import { setCredential } from "../../../core/account/setCredential.ts";
import { adoptSignature } from "./adoptSignature.ts";
import { askCredential } from "./askCredential.ts";
import { checkWithProgress } from "./checkCredential.ts";
import { decideVerdict } from "./decideVerdict.ts";
import type { CredentialContext } from "./setCredentialCommand.ts";

/** Stores a credential that was found outside, once the server accepts it or the user wants it all the same. */
export async function importCredential(
  { profiles, vault, redaction, log, check }: CredentialContext,
  profileName: string,
  found: Credential,
): Promise<boolean> {
  const profile = profiles.find(profileName);
  const { kind } = found;
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return false;
  let isFirst = true;
  let verdict: CheckVerdict | undefined;
  const { outcome } = await setCredential({
    ask() {
      if (!isFirst) return askCredential(kind, profileName, origin);
      isFirst = false;
      return Promise.resolve(found);
    },
    remember(credential) {
      for (const text of secretTexts(credential)) redaction.remember(text);
    },
    async check(credential) {
      verdict = await checkWithProgress(check, profile, credential, origin);
      log.info(
        `Imported ${kind} of “${profileName}” checked at ${origin}: ${verdict?.verdict ?? "cancelled"}`,
      );
      return verdict;
    },
    decide: (failed) => decideVerdict(kind, failed, true),
    async store(credential) {
      await adoptSignature(profiles, profileName, verdict);
      await vault.store(profile, credential);
    },
  });
  return outcome === "stored";
}

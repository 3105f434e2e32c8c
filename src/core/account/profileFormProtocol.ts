import * as v from "valibot";
import type { SecretKind } from "../kernel/credential.ts";
import { pageError, parsedBy, rule } from "../kernel/pageMessages.ts";
import type { MessageLimit, MessageOf } from "../kernel/pageMessages.ts";
import type { BaseUrlRole } from "./baseUrl.ts";
import { parseEnteredSecrets, parseProfileForm } from "./profileForm.ts";
import type { ProfileForm, ProfileProblems } from "./profileForm.ts";
import { secretKinds } from "./credentialKinds.ts";

/** What a check applies to: one of the addresses, or a credential. */
export type CheckSubject = BaseUrlRole | SecretKind;

/** The progress or result of a check. `warning`: it works, but the user should know something about it. */
export type CheckState = "running" | "passed" | "warning" | "failed";

/** What the page says about a kind of credential that has no text in its fields. */
export interface KnownCredential {
  /** One sentence, such as that it is stored. */
  readonly sentence: string;
  /** Whether the profile names a source for it, so that nothing can be entered. */
  readonly isSupplied: boolean;
}

/** Messages from the host to the page of a profile. None of them contains a secret. */
export type ToProfilePage =
  | {
      readonly type: "form";
      /** The name of the profile that is edited; undefined for a new one. */
      readonly editedName?: string | undefined;
      readonly form: ProfileForm;
      /** The names of other profiles. */
      readonly takenNames: readonly string[];
      /** A sentence about where the content comes from, if the user didn't enter it. */
      readonly origin?: string | undefined;
    }
  /** Replaces what was known about credentials. */
  | {
      readonly type: "credentials";
      readonly known: Readonly<Partial<Record<SecretKind, KnownCredential>>>;
    }
  /** The progress or result of a check, as a full sentence. */
  | {
      readonly type: "check";
      readonly subject: CheckSubject;
      readonly state: CheckState;
      readonly sentence: string;
    }
  /** Nothing was saved because of these. */
  | { readonly type: "problems"; readonly problems: ProfileProblems }
  /** Whether the form is being checked and saved. */
  | { readonly type: "busy"; readonly isBusy: boolean; readonly sentence: string };

const asking: MessageLimit = { size: 40_000, burst: 20, perSecond: 2 };

const form = parsedBy(parseProfileForm);

/** Page of a profile to host. */
export const fromProfilePage = [
  rule("ready", asking, {}),
  rule("checkAddress", asking, { role: v.picklist(["inference", "gateway"]), form }),
  /** Contains each secret exactly once: the page forgets it when it is sent. */
  rule("save", { size: 200_000, burst: 10, perSecond: 1 }, { form, secrets: parsedBy(parseEnteredSecrets) }),
  rule("stop", asking, {}),
  rule("cancel", asking, {}),
  rule("createKey", asking, { kind: v.picklist(secretKinds), form }),
  rule("openSettings", asking, {}),
  rule("startLocalGateway", asking, {}),
  pageError,
];

/** A message from the page of a profile. */
export type FromProfilePage = MessageOf<typeof fromProfilePage>;

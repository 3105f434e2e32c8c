import type { SecretKind } from "../kernel/credential.ts";
import { isRecord, stringField } from "../kernel/json.ts";
import { limitIn, pageErrorLimit } from "../kernel/messageLimiter.ts";
import type { MessageLimit } from "../kernel/messageLimiter.ts";
import type { BaseUrlRole } from "./baseUrl.ts";
import { parseEnteredSecrets, parseProfileForm } from "./profileForm.ts";
import type { EnteredSecrets, ProfileForm, ProfileProblems } from "./profileForm.ts";
import { isSecretKind } from "./credentialKinds.ts";

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
      /** The profile that the form was filled in from, if it may have been edited since then. */
      readonly base?: ProfileForm | undefined;
      /** The names of other profiles. */
      readonly takenNames: readonly string[];
      /** A sentence about where the content comes from, if the user didn't enter it. */
      readonly origin?: string | undefined;
    }
  /** The edited profile as the settings have it now; undefined if it was removed. */
  | { readonly type: "stored"; readonly form: ProfileForm | undefined }
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

/** Messages from the page of a profile to the host, which parses and limits them: the page may be compromised. */
export type FromProfilePage =
  | { readonly type: "ready" }
  | { readonly type: "checkAddress"; readonly role: BaseUrlRole; readonly form: ProfileForm }
  /** Contains each secret exactly once: the page forgets it when it is sent. */
  | { readonly type: "save"; readonly form: ProfileForm; readonly secrets: EnteredSecrets }
  | { readonly type: "stop" }
  | { readonly type: "cancel" }
  | { readonly type: "createKey"; readonly kind: SecretKind; readonly form: ProfileForm }
  | { readonly type: "openSettings" }
  | { readonly type: "startLocalGateway" }
  | { readonly type: "pageError"; readonly message: string };

const asking: MessageLimit = { size: 40_000, burst: 20, perSecond: 2 };

const limits: Readonly<Record<FromProfilePage["type"], MessageLimit>> = {
  ready: asking,
  checkAddress: asking,
  save: { size: 200_000, burst: 10, perSecond: 1 },
  stop: asking,
  cancel: asking,
  createKey: asking,
  openSettings: asking,
  startLocalGateway: asking,
  pageError: pageErrorLimit,
};

/** Limits for messages from the page. */
export function profilePageLimit(type: string): MessageLimit | undefined {
  return limitIn(limits, type);
}

/** Parses a message from the page, which is not trusted; undefined for anything invalid. */
export function parseFromProfilePage(message: unknown): FromProfilePage | undefined {
  if (!isRecord(message)) return undefined;
  const type = stringField(message, "type");
  const form = parseProfileForm(message["form"]);
  switch (type) {
    case "ready":
    case "stop":
    case "cancel":
    case "openSettings":
    case "startLocalGateway":
      return { type };
    case "checkAddress": {
      const role = message["role"];
      return role === "inference" || role === "gateway" ? { type, role, form } : undefined;
    }
    case "save":
      return { type, form, secrets: parseEnteredSecrets(message["secrets"]) };
    case "createKey": {
      const kind = stringField(message, "kind") ?? "";
      return isSecretKind(kind) ? { type, kind, form } : undefined;
    }
    case "pageError":
      return { type, message: (stringField(message, "message") ?? "").slice(0, 4_000) };
    default:
      return undefined;
  }
}

import { t } from "@vscode/l10n";
import type { Credential, CredentialPart, GatewayCredentialKind, SecretKind } from "../kernel/credential.ts";
import { isRecord } from "../kernel/json.ts";
import { readBaseUrl } from "./baseUrl.ts";
import type { BaseUrlRole } from "./baseUrl.ts";
import {
  createCredential,
  credentialParts,
  gatewayKinds,
  isGatewayKind,
  partFacts,
  secretKinds,
  credentialKinds,
} from "./credentialKinds.ts";
import { parseProfiles, readProfileName } from "./parseProfiles.ts";
import type { Profile } from "./profile.ts";
import type { ProfileOptions } from "./profileSettings.ts";
import { readSecretInput, parseExpiry } from "./secretInput.ts";
import { looksLikeCredential } from "./redaction.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** The text fields of the form, each with the maximum length that is read. */
const textLengths = {
  name: 200,
  inferenceBaseUrl: 2_000,
  gatewayUrl: 2_000,
  consoleUrl: 2_000,
  defaultModel: 400,
  /** When the STS token expires, as the user writes it. It isn't part of the profile. */
  stsExpiry: 100,
} as const;

/** The checkboxes of the form. */
export const flagFields = ["apiKeyOptional", "allowInsecureHttp", "production"] as const;

/** A text field of the form. */
export type TextField = keyof typeof textLengths;

/** A checkbox of the form. */
export type FlagField = (typeof flagFields)[number];

/** What the form contains, without secrets. */
export type ProfileForm = Readonly<Record<TextField, string>> &
  Readonly<Record<FlagField, boolean>> & { readonly gatewayCredential: GatewayCredentialKind };

/** A part of a credential, which has a field of its own. */
export type SecretField = `${SecretKind}.${CredentialPart}`;
/** What was entered into the secret fields. It is never part of `ProfileForm`, so that it can't be kept with it. */
export type EnteredSecrets = Readonly<Partial<Record<SecretField, string>>>;

/** A field that a problem can refer to. */
export type ProfileField = TextField | SecretField;
/** Full sentences, by field. */
export type ProfileProblems = Readonly<Partial<Record<ProfileField, string>>>;

/** The text fields of the form, in the order in which they are read. */
export const textFields: readonly TextField[] = Object.keys(textLengths).filter((name) => isTextField(name));

function isTextField(name: string): name is TextField {
  return Object.hasOwn(textLengths, name);
}

/** The fields for a kind of credential, in the order in which they are shown. */
export function credentialFields(kind: SecretKind): readonly SecretField[] {
  return credentialParts(kind).map((part) => `${kind}.${part}` as const);
}

/** The form for a new profile. */
export const emptyProfileForm: ProfileForm = {
  name: "",
  inferenceBaseUrl: "",
  gatewayUrl: "",
  consoleUrl: "",
  defaultModel: "",
  stsExpiry: "",
  apiKeyOptional: false,
  allowInsecureHttp: false,
  production: false,
  gatewayCredential: "accessKey",
};

/** The form for an existing profile. */
export function formOfProfile(profile: Profile): ProfileForm {
  return {
    ...emptyProfileForm,
    name: profile.name,
    inferenceBaseUrl: profile.inferenceBaseUrl ?? "",
    gatewayUrl: profile.gatewayUrl ?? "",
    consoleUrl: profile.consoleUrl ?? "",
    defaultModel: profile.defaultModel ?? "",
    apiKeyOptional: profile.apiKeyOptional === true,
    allowInsecureHttp: profile.allowInsecureHttp,
    production: profile.production === true,
    gatewayCredential: profile.gatewayCredential,
  };
}

/** Parses a form from a page, which is not trusted. What is missing or invalid is empty. */
export function parseProfileForm(value: unknown): ProfileForm {
  const fields = isRecord(value) ? value : {};
  const texts = textFields.flatMap((name) => {
    const text = fields[name];
    return typeof text === "string" ? [[name, text.slice(0, textLengths[name])] as const] : [];
  });
  const flags = flagFields.map((name) => [name, fields[name] === true] as const);
  const kind = gatewayKinds.find((candidate) => candidate === fields["gatewayCredential"]);
  return {
    ...emptyProfileForm,
    ...Object.fromEntries(texts),
    ...Object.fromEntries(flags),
    ...(kind === undefined ? {} : { gatewayCredential: kind }),
  };
}

/** Whether a text that isn't meant for a credential contains one, such as the password in a URL. */
export function hasCredential(text: string): boolean {
  return looksLikeCredential(text) || /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text);
}

/** The form as VS Code may keep it on disk: a credential in the wrong field has to be entered again. */
export function formToKeep(form: ProfileForm): ProfileForm {
  const emptied = textFields.filter((name) => hasCredential(form[name])).map((name) => [name, ""] as const);
  return { ...form, ...Object.fromEntries(emptied) };
}

/** Maximum UTF-16 units of one secret. */
const longestSecret = 16_000;

/** Parses the secrets from a page. Empty ones are left out. */
export function parseEnteredSecrets(value: unknown): EnteredSecrets {
  if (!isRecord(value)) return {};
  const known = secretKinds.flatMap(credentialFields);
  const entered = known.flatMap((field) => {
    const text = value[field];
    return typeof text === "string" && text.trim() !== "" && text.length <= longestSecret
      ? [[field, text] as const]
      : [];
  });
  return Object.fromEntries(entered);
}

/** Whether the kind of credential is of any use for what the form contains. */
export function isAskedFor(form: ProfileForm, kind: SecretKind): boolean {
  return isGatewayKind(kind)
    ? form.gatewayUrl.trim() !== "" && form.gatewayCredential === kind
    : form.inferenceBaseUrl.trim() !== "";
}

/** What the form describes, or what has to be corrected first. */
export interface ProfileFormReading {
  readonly problems: ProfileProblems;
  /** Sentences about addresses that can be used nevertheless. */
  readonly advice: Readonly<Partial<Record<TextField, string>>>;
  /** What is written to the settings. Undefined options are removed from an existing profile. */
  readonly options: ProfileOptions;
  /** The profile as it will be; undefined if there are problems. */
  readonly profile: Profile | undefined;
  readonly credentials: readonly Credential[];
  /** When the STS token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
}

interface ReadingContext {
  readonly secrets: EnteredSecrets;
  /** The names of other profiles. */
  readonly takenNames: readonly string[];
  /** Options of the existing profile that the form doesn't show. */
  readonly existing?: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Reads the form as it would be saved. */
export function readProfileForm(
  form: ProfileForm,
  { secrets, takenNames, existing = {}, now }: ReadingContext,
): ProfileFormReading {
  const problems: Partial<Record<ProfileField, string>> = {};
  const advice: Partial<Record<TextField, string>> = {};
  const name = readName(form.name, takenNames, problems);
  const readAddress = (field: "inferenceBaseUrl" | "gatewayUrl", role: BaseUrlRole): string | undefined => {
    if (form[field].trim() === "") return undefined;
    const { url, problem } = readBaseUrl(form[field], role, form.allowInsecureHttp);
    if (url === undefined) problems[field] = problem ?? "";
    else if (problem !== undefined) advice[field] = problem;
    return url;
  };
  const inferenceBaseUrl = readAddress("inferenceBaseUrl", "inference");
  const gatewayUrl = readAddress("gatewayUrl", "gateway");
  if (form.inferenceBaseUrl.trim() === "" && form.gatewayUrl.trim() === "") {
    problems.inferenceBaseUrl = t("Enter the URL of the inference service, the GPU gateway, or both.");
  }
  const options: ProfileOptions = {
    name,
    inferenceBaseUrl,
    gatewayUrl,
    gatewayCredential: gatewayUrl === undefined ? undefined : form.gatewayCredential,
    consoleUrl: form.consoleUrl.trim() || undefined,
    defaultModel: form.defaultModel.trim() || undefined,
    apiKeyOptional: form.apiKeyOptional || undefined,
    allowInsecureHttp: form.allowInsecureHttp || undefined,
    production: form.production || undefined,
  };
  const profile = parseProfiles([{ ...existing, ...options }]).profiles[0];
  if (options.consoleUrl !== undefined && profile !== undefined && profile.consoleUrl === undefined)
    problems.consoleUrl = t("Enter the https:// URL of the console, without a user name or password.");
  if (options.defaultModel !== undefined && profile !== undefined && profile.defaultModel === undefined)
    problems.defaultModel = t("Enter the name of a model, such as example/model.");
  const credentials = secretKinds
    .filter((kind) => isAskedFor(form, kind))
    .flatMap((kind) => readSecrets(kind, secrets, problems));
  const expiresAt = readExpiry(form, problems, now);
  const isComplete = Object.keys(problems).length === 0;
  return {
    ...{ problems, advice, options, credentials, profile: isComplete ? profile : undefined },
    ...filledFields({ expiresAt }),
  };
}

type Writable = Partial<Record<ProfileField, string>>;

function readName(text: string, takenNames: readonly string[], problems: Writable): string {
  const { name, problem } = readProfileName(text);
  if (name === undefined) problems.name = problem;
  else if (takenNames.includes(name)) problems.name = t("A profile with this name already exists.");
  return name ?? "";
}

/** Nothing is required, because a credential can be set later, but half of a pair is a mistake. */
function readSecrets(kind: SecretKind, secrets: EnteredSecrets, problems: Writable): readonly Credential[] {
  const parts = credentialParts(kind);
  if (parts.every((part) => secrets[`${kind}.${part}`] === undefined)) return [];
  const credential = createCredential(kind, (part) => {
    const field = `${kind}.${part}` as const;
    const reading = readSecretInput(secrets[field] ?? "", partFacts(kind, part)?.use);
    if ("text" in reading) return reading.text;
    problems[field] = reading.problem;
    return undefined;
  });
  return credential === undefined ? [] : [credential];
}

function readExpiry(form: ProfileForm, problems: Writable, now: number): number | undefined {
  const isShort = secretKinds.some(
    (kind) => credentialKinds[kind].lifetime === "shortToken" && isAskedFor(form, kind),
  );
  if (!isShort || form.stsExpiry.trim() === "") return undefined;
  const reading = parseExpiry(form.stsExpiry, now);
  if ("expiresAt" in reading) return reading.expiresAt;
  problems.stsExpiry = reading.problem;
  return undefined;
}

import { t } from "@vscode/l10n";
import type { SecretKind } from "../kernel/credential.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { formatNumber } from "../kernel/formatTime.ts";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import { credentialKinds, isRefusalReason, refusedKind, secretKinds } from "./credentialKinds.ts";
import { originOf } from "../kernel/httpAddress.ts";
import type { ProfileOptions } from "./profileSettings.ts";

/** Where a remedy is carried out: `anywhere` means a command, the others the view that shows the problem. */
type Runner = "anywhere" | "chat" | "message" | "servers";

/** The variable parts of a label. */
type LabelFacts = Pick<ErrorFacts, "input" | "link" | "parameter" | "scheme" | "tokenLimit">;

interface RemedyFacts {
  readonly by: Runner;
  readonly label: (facts: LabelFacts) => string;
}

/** Everything that can fix a problem, except setting a credential, which is derived from the kinds. */
const ownRemedies = {
  addProfile: { by: "anywhere", label: () => t("Add Profile…") },
  createKey: { by: "anywhere", label: () => t("Create a Key…") },
  openProfiles: { by: "anywhere", label: () => t("Edit Profiles") },
  openSettings: { by: "anywhere", label: () => t("Open Settings") },
  editBudget: { by: "anywhere", label: () => t("Edit Budget…") },
  startLocalGateway: { by: "anywhere", label: () => t("Start Local Gateway") },
  switchScheme: { by: "anywhere", label: ({ scheme }) => t("Use {0}://", scheme ?? "https") },
  diagnose: { by: "anywhere", label: () => t("Diagnose Connection") },
  retry: { by: "chat", label: () => t("Retry") },
  editChatSettings: { by: "chat", label: () => t("Chat Settings") },
  refreshModels: { by: "chat", label: () => t("Refresh Models") },
  askOtherModel: { by: "message", label: () => t("Other Model…") },
  inspectRequest: { by: "message", label: () => t("Inspect Request") },
  retryShorter: { by: "message", label: () => t("Send Again Without the Oldest Turns") },
  summarize: { by: "message", label: () => t("Summarize and Continue") },
  retryWithoutParameter: { by: "message", label: () => t("Send Again Without It") },
  retryWithoutInput: {
    by: "message",
    label: ({ input }) =>
      input === "audio" ? t("Send Again Without Audio") : t("Send Again Without Images"),
  },
  useTokenLimit: { by: "message", label: ({ tokenLimit = 0 }) => t("Use {0}", formatNumber(tokenLimit)) },
  addCredit: {
    by: "message",
    label: ({ link }) => t("Open {0}", sanitizeLabel(hostOf(link ?? ""), 60)),
  },
  refresh: { by: "servers", label: () => t("Refresh") },
  clearFilter: { by: "servers", label: () => t("Clear Filter") },
} as const satisfies Readonly<Record<string, RemedyFacts>>;

type OwnRemedies = typeof ownRemedies;
type OwnRemedy = keyof OwnRemedies;

/** Prompts for a credential of this kind. */
export type SetRemedy = `set${Capitalize<SecretKind>}`;

/** An action that fixes a problem. */
type Remedy = OwnRemedy | SetRemedy;

/** The remedies that one of these runners can carry out. */
export type RemedyBy<B extends Runner> =
  | { [R in OwnRemedy]: OwnRemedies[R]["by"] extends B ? R : never }[OwnRemedy]
  | ("anywhere" extends B ? SetRemedy : never);

/** Something that a report can fix, with everything needed to do it. */
export type ReportRemedy = { readonly label: string } & (
  | { readonly remedy: SetRemedy | "createKey"; readonly profileName: string }
  | {
      readonly remedy: "switchScheme";
      readonly profileName: string;
      readonly address: "inferenceBaseUrl" | "gatewayUrl";
      readonly scheme: "http" | "https";
    }
  | {
      readonly remedy: "changeProfile";
      readonly profileName: string;
      readonly change: Partial<ProfileOptions>;
    }
  /** Adds the host to VS Code's `http.noProxy`. */
  | { readonly remedy: "bypassProxy"; readonly host: string }
  | {
      readonly remedy: "changeSetting";
      readonly name: "http.systemCertificates" | "http.proxySupport";
      readonly value: boolean | string;
    }
);

const ownNames: readonly OwnRemedy[] = Object.keys(ownRemedies).filter((name) => isOwn(name));

/** Every remedy that one of these runners can carry out, which is all that a page may request. */
export function remediesBy<B extends Runner>(...runners: readonly B[]): readonly RemedyBy<B>[] {
  return [...ownNames, ...secretKinds.map(setRemedy)].filter((remedy) => isRemedyBy(remedy, ...runners));
}

/** Whether one of these runners can run the remedy. */
export function isRemedyBy<B extends Runner>(
  remedy: string,
  ...runners: readonly B[]
): remedy is RemedyBy<B> {
  const by: Runner | undefined = isOwn(remedy)
    ? ownRemedies[remedy].by
    : kindToSet(remedy) === undefined
      ? undefined
      : "anywhere";
  return runners.some((runner) => runner === by);
}

/** The remedy that prompts for a credential of this kind. */
export function setRemedy(kind: SecretKind): SetRemedy {
  return `set${credentialKinds[kind].commandName}`;
}

/** The kind of credential that the remedy prompts for; undefined for all others. */
export function kindToSet(remedy: string): SecretKind | undefined {
  return secretKinds.find((kind) => setRemedy(kind) === remedy);
}

/** The button label. */
export function remedyLabel(remedy: Remedy, facts: LabelFacts = {}): string {
  const kind = kindToSet(remedy);
  if (kind !== undefined) return credentialKinds[kind].setLabel();
  return isOwn(remedy) ? ownRemedies[remedy].label(facts) : "";
}

/**
 * The remedies for a failure, the most useful action first, followed by what explains it. The chat offers all of them;
 * other views offer those that they can carry out.
 */
export function remediesFor(
  error: ErrorFacts,
  place: "chat",
): readonly RemedyBy<"anywhere" | "chat" | "message">[];
export function remediesFor(error: ErrorFacts, place: "servers"): readonly RemedyBy<"anywhere" | "servers">[];
export function remediesFor(error: ErrorFacts, place: "notification"): readonly RemedyBy<"anywhere">[];
export function remediesFor(
  error: ErrorFacts,
  place: "chat" | "servers" | "notification",
): readonly Remedy[] {
  const all = remediesOf(error);
  if (place === "chat") return all;
  const setup = all.filter((remedy) => isRemedyBy(remedy, "anywhere"));
  if (place === "notification") return [...setup, "diagnose"];
  return error.reason === "missingCredential" ? setup : [...setup, "refresh", "diagnose"];
}

function remediesOf(error: ErrorFacts): readonly RemedyBy<"anywhere" | "chat" | "message">[] {
  const { reason, credential } = error;
  if (isRefusalReason(reason)) {
    // A refusal concerns the credential that was sent, whichever one the gateway asks for.
    const refused = refusedKind(reason);
    const set = [...new Set([credential ?? refused, refused])].map(setRemedy);
    return [...set, ...inConsole(error, refused), "retry", "inspectRequest"];
  }
  const elsewhere = ["retry", "askOtherModel", "inspectRequest"] as const;
  const remedies: Readonly<Record<typeof reason, readonly RemedyBy<"anywhere" | "chat" | "message">[]>> = {
    missingCredential:
      credential === undefined
        ? ["openProfiles", "retry"]
        : [setRemedy(credential), ...inConsole(error, credential), "retry"],
    wrongScheme: ["switchScheme", "openProfiles", "retry"],
    budget: ["editBudget", "retry"],
    insecure: ["openProfiles", "retry"],
    configuration: ["openProfiles", "retry"],
    authenticationType: ["openProfiles", "retry", "inspectRequest"],
    redirected: ["openProfiles", "retry", "inspectRequest"],
    notFound: ["openProfiles", "askOtherModel", "retry", "inspectRequest"],
    contextLength: [...ofRequest(error), "retryShorter", "summarize", "askOtherModel", "inspectRequest"],
    contentFilter: ["askOtherModel", "retry", "inspectRequest"],
    unknownModel: ["askOtherModel", "refreshModels", "retry", "inspectRequest"],
    unsupportedParameter: [...ofRequest(error), "editChatSettings", "askOtherModel", "inspectRequest"],
    unsupportedInput: ["retryWithoutInput", "askOtherModel", "inspectRequest"],
    payment: [...(error.link === undefined ? [] : (["addCredit"] as const)), ...elsewhere],
    badRequest: ["askOtherModel", "retry", "inspectRequest"],
    proxy: ["openSettings", "retry"],
    tls: ["openSettings", "retry"],
    timeout: elsewhere,
    forbidden: elsewhere,
    rateLimit: elsewhere,
    overloaded: elsewhere,
    unavailable: elsewhere,
    service: elsewhere,
    malformed: elsewhere,
    unreachable: ["retry", "inspectRequest"],
    truncated: ["retry", "inspectRequest"],
  };
  return remedies[reason];
}

/** Changes of the request that the error names. */
function ofRequest({
  tokenLimit,
  parameter,
}: ErrorFacts): readonly ("useTokenLimit" | "retryWithoutParameter")[] {
  return [
    ...(tokenLimit === undefined ? [] : (["useTokenLimit"] as const)),
    ...(parameter === undefined ? [] : (["retryWithoutParameter"] as const)),
  ];
}

/** A key is created in the console, whose address is the link of the error. Tokens come from elsewhere. */
function inConsole({ link }: ErrorFacts, kind: SecretKind): readonly "createKey"[] {
  return link !== undefined && credentialKinds[kind].lifetime === "key" ? ["createKey"] : [];
}

function isOwn(name: string): name is OwnRemedy {
  return Object.hasOwn(ownRemedies, name);
}

function hostOf(link: string): string {
  return originOf(link)?.replace(/^https?:\/\//, "") ?? "";
}

import { t } from "@vscode/l10n";
import type { Credential, GatewayCredentialKind } from "../kernel/credential.ts";
import { parseProfiles } from "./parseProfiles.ts";
import type { Profile } from "./profile.ts";
import { readSecretInput } from "./secretInput.ts";

/** A profile that could be imported, with the credentials that were found beside it. */
export interface FoundProfile {
  readonly profile: Profile;
  readonly credentials: readonly Credential[];
}

type Part =
  "inferenceBaseUrl" | "gatewayUrl" | "apiKey" | "accessKey" | "apiSecret" | "sessionToken" | "stsToken";

/** What the end of a variable's name says; the longer ends first. */
const endings: readonly (readonly [RegExp, Part])[] = [
  [/^(?:INFERENCE_)?(?:API_BASE_URL|BASE_URL|API_BASE)$/, "inferenceBaseUrl"],
  [/^GATEWAY_URL$/, "gatewayUrl"],
  [/^API_KEY$/, "apiKey"],
  [/^ACCESS_KEY(?:_ID)?$/, "accessKey"],
  [/^(?:API_SECRET|SECRET_KEY|SECRET_ACCESS_KEY|ACCESS_KEY_SECRET)$/, "apiSecret"],
  [/^(?:SESSION_TOKEN|USER_TOKEN)$/, "sessionToken"],
  [/^STS_TOKEN$/, "stsToken"],
];

/** Our own name, which ends like that of an address. */
const ownPrefix = "INFERENCE_GATEWAY";

/**
 * The profiles that environment variables describe: those that begin alike, such as `EXAMPLE_BASE_URL` and
 * `EXAMPLE_API_KEY`, belong together, and count where one of them is an address.
 */
export function findInVariables(
  variables: Readonly<Record<string, string | undefined>>,
): readonly FoundProfile[] {
  const groups = new Map<string, Map<Part, string>>();
  for (const [name, value] of Object.entries(variables)) {
    const place = findPlace(name.toUpperCase());
    if (place === undefined || value === undefined || value.trim() === "") continue;
    const group = groups.get(place.prefix) ?? new Map<Part, string>();
    groups.set(place.prefix, group.set(place.part, value));
  }
  return [...groups].flatMap(([prefix, parts]) => createFound(prefix, parts));
}

function findPlace(name: string): { readonly prefix: string; readonly part: Part } | undefined {
  if (name === `${ownPrefix}_URL`) return { prefix: ownPrefix, part: "gatewayUrl" };
  const words = name.split("_");
  // The shortest prefix has the longest ending.
  for (let length = 0; length < words.length; length++) {
    const ending = words.slice(length).join("_");
    const part = endings.find(([pattern]) => pattern.test(ending))?.[1];
    if (part !== undefined) return { prefix: words.slice(0, length).join("_"), part };
  }
  return undefined;
}

function createFound(prefix: string, parts: ReadonlyMap<Part, string>): readonly FoundProfile[] {
  const credentials = readCredentials(parts);
  const kinds = credentials.map(({ kind }) => kind);
  const gatewayKinds: readonly GatewayCredentialKind[] = ["accessKey", "stsToken", "sessionToken"];
  const entry = {
    name: nameOf(prefix),
    ...Object.fromEntries(
      (["inferenceBaseUrl", "gatewayUrl"] as const).flatMap((part) => {
        const url = parts.get(part);
        return url === undefined ? [] : [[part, url]];
      }),
    ),
    gatewayCredential: gatewayKinds.find((kind) => kinds.includes(kind)) ?? "accessKey",
  };
  const profile = parseProfiles([entry]).profiles[0];
  if (profile?.inferenceBaseUrl === undefined && profile?.gatewayUrl === undefined) return [];
  const usable = credentials.filter(({ kind }) =>
    kind === "apiKey" ? profile.inferenceBaseUrl !== undefined : profile.gatewayUrl !== undefined,
  );
  return [{ profile, credentials: usable }];
}

function readCredentials(parts: ReadonlyMap<Part, string>): readonly Credential[] {
  const secret = (part: Part, use: "sent" | "signs" = "sent"): string | undefined => {
    const reading = readSecretInput(parts.get(part) ?? "", use);
    return "text" in reading ? reading.text : undefined;
  };
  const apiKey = secret("apiKey");
  const accessKey = secret("accessKey");
  const apiSecret = secret("apiSecret", "signs");
  const sessionToken = secret("sessionToken");
  const stsToken = secret("stsToken");
  return [
    ...(apiKey === undefined ? [] : [{ kind: "apiKey", apiKey } as const]),
    ...(accessKey === undefined || apiSecret === undefined
      ? []
      : [{ kind: "accessKey", accessKey, apiSecret } as const]),
    ...(sessionToken === undefined ? [] : [{ kind: "sessionToken", token: sessionToken } as const]),
    ...(stsToken === undefined ? [] : [{ kind: "stsToken", token: stsToken } as const]),
  ];
}

/** `MY_CLOUD` is called “My Cloud”. */
function nameOf(prefix: string): string {
  if (prefix === "") return t("Environment");
  const words = prefix
    .toLowerCase()
    .split("_")
    .filter((word) => word !== "");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(" ");
}

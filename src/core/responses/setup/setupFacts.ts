import { t } from "@vscode/l10n";
import { optionsOfModel } from "../../account/modelOptions.ts";
import { needsApiKey } from "../../account/profile.ts";
import type { Profile } from "../../account/profile.ts";
import { isSensitiveName, looksLikeCredential } from "../../account/redaction.ts";
import type { Model } from "../../conversation/completion.ts";
import { parseQuery, readHttpAddress } from "../../kernel/httpAddress.ts";
import { keyVariable } from "../exchange/copyable.ts";

/** What the setup of every client is written from. Nothing in it is secret. */
export interface SetupFacts {
  readonly profile: string;
  /** Includes `/v1`, without a trailing slash or a query. */
  readonly baseUrl: string;
  /** The query parameters of the base URL, in their order. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of the proxy without credentials, or `direct` for none. */
  readonly proxy: string | undefined;
  /** The path of a PEM file with issuers that the profile trusts, too. */
  readonly caFile: string | undefined;
  readonly model: string;
  readonly needsKey: boolean;
  readonly isStreamed: boolean;
  readonly supportsImages: boolean;
  readonly supportsTools: boolean;
  /** The last message of the user in the active chat. */
  readonly lastMessage: string | undefined;
  /** In tokens. */
  readonly contextLength: number;
  readonly maxOutputTokens: number;
}

/** Tokens that are assumed if the server doesn't report the context window. */
const usualContext = 128_000;
const usualOutput = 8_192;

/**
 * Undefined if the profile has no inference service.
 * @param hasKey Whether the profile has an API key, which is sent even if the service doesn't need one.
 */
export function setupFacts(
  profile: Profile,
  model: Model,
  hasKey: boolean,
  lastMessage?: string,
): SetupFacts | undefined {
  const reading = readHttpAddress(profile.inferenceBaseUrl ?? "");
  if ("problem" in reading) return undefined;
  const { origin, path, query = "" } = reading.address;
  const { stream = true, maxOutputTokens } = optionsOfModel(profile.models, model.id);
  const contextLength = model.contextLength ?? usualContext;
  const usual = Math.min(model.maxOutputTokens ?? usualOutput, Math.floor(contextLength / 2));
  return {
    profile: profile.name,
    baseUrl: `${origin}${path.replace(/(?<!\/)\/+$/, "")}`,
    query: parseQuery(query).filter(isHarmless),
    headers: Object.fromEntries(Object.entries(profile.headers).filter(isHarmless)),
    proxy: withoutCredentials(profile.proxy),
    caFile: profile.caFile,
    model: model.id,
    needsKey: hasKey || needsApiKey(profile),
    isStreamed: stream,
    supportsImages: model.supportsImages === true,
    supportsTools: model.supportsTools !== false,
    lastMessage,
    contextLength,
    maxOutputTokens: maxOutputTokens ?? usual,
  };
}

/** Profiles reject credentials in headers. One with an unusual name isn't copied either. */
function isHarmless([name, value]: readonly [string, string]): boolean {
  return !isSensitiveName(name) && !looksLikeCredential(value);
}

function withoutCredentials(proxy: string | undefined): string | undefined {
  if (proxy === undefined || proxy === "direct") return proxy;
  const reading = readHttpAddress(proxy);
  // A proxy of another kind, such as SOCKS, is passed on by its name alone.
  return "problem" in reading
    ? proxy.replace(/^([a-z\d+.-]{1,20}:\/\/)[^@]{0,2000}@/i, "$1")
    : reading.address.origin;
}

/** The base URL, followed by `path` and the profile's query parameters. */
export function urlWithQuery({ baseUrl, query }: SetupFacts, path: string): string {
  const pairs = query.map((pair) => pair.map(encodeURIComponent).join("="));
  return `${baseUrl}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

/** The URL of chat completions, with the profile's query parameters. */
export function completionsUrl(facts: SetupFacts): string {
  return urlWithQuery(facts, "/chat/completions");
}

/** A note about the query parameters that can't be passed to a client that accepts only a base URL. */
export function queryNote({ query }: SetupFacts): readonly string[] {
  if (query.length === 0) return [];
  const names = query.map(([name]) => name).join(", ");
  return [t("The base URL of the profile has query parameters that aren't sent here: {0}.", names)];
}

/** A note on the headers that the client won't send; empty if there are none. */
export function headerNote({ headers }: SetupFacts): readonly string[] {
  const names = Object.keys(headers);
  return names.length === 0
    ? []
    : [t("Headers of the profile that aren't sent here: {0}.", names.join(", "))];
}

/**
 * How the client reaches the service as the profile does. Every client reads the environment, and few have settings for
 * it.
 */
export function networkNotes({ proxy, caFile, baseUrl }: SetupFacts): readonly string[] {
  const variable = baseUrl.startsWith("https:") ? "HTTPS_PROXY" : "http_proxy";
  return [
    ...(proxy === undefined
      ? []
      : proxy === "direct"
        ? [
            t(
              "The profile uses no proxy. If one is set in the environment, add the host of the service to NO_PROXY.",
            ),
          ]
        : [t("The profile uses a proxy. Set {0} in the environment to {1}.", variable, proxy)]),
    ...(caFile === undefined
      ? []
      : [
          t(
            "The profile trusts the certificates in {0}. Set SSL_CERT_FILE (Python), NODE_EXTRA_CA_CERTS (Node.js), or CURL_CA_BUNDLE (curl) to this path.",
            caFile,
          ),
        ]),
  ];
}

/** A note on where the client reads the key; empty if the service needs none. */
export function keyNote({ needsKey }: SetupFacts): readonly string[] {
  return needsKey ? [t("Set {0} in the environment to your API key.", keyVariable)] : [];
}

/** Clients require a key, even for servers that don't. */
export const noKey = "none";

/** The message of setups that send one. */
export const hello = { role: "user", content: "Hello!" } as const;

/** The fields for a client's optional headers or parameters; undefined if there are none. */
export function unlessEmpty(
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** A client that can be set up. */
export interface Setup {
  /** A proper noun, or a phrase. */
  label(this: void): string;
  /** What it is, in a few words. */
  hint(this: void): string;
  /** The ID of the language in VS Code. */
  readonly language: string;
  /** The placeholders that the client replaces in texts, and that can't be escaped there. */
  readonly replaces?: RegExp;
  text(this: void, facts: SetupFacts): string;
}

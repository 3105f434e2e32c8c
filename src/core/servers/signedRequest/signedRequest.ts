import { isJson } from "../../kernel/json.ts";
import { t } from "@vscode/l10n";
import { isSensitiveName } from "../../account/sensitiveNames.ts";
import { credentialNames } from "../../account/credentialPlaces.ts";

export const requestMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
export type RequestMethod = (typeof requestMethods)[number];

/** A raw name and value, as the server sees them after decoding the query. */
export type RequestParameter = readonly [name: string, value: string];

/** A user's request to the gateway that isn't in the interface; the credential is added later. */
export interface SignedRequestDraft {
  /** Goes to the inference service with the API key, instead of to the gateway with a signature. */
  readonly base?: "inference";
  readonly method: RequestMethod;
  /** Relative to the URL of the gateway or the inference service; starts with a slash and has no query. */
  readonly path: string;
  readonly parameters: readonly RequestParameter[];
  readonly body?: string;
}

/** The path and the parameters after its question mark, or a sentence that explains what is wrong. */
export type PathResult =
  { readonly path: string; readonly parameters: readonly RequestParameter[] } | { readonly problem: string };

/** Parses a path entered by the user. It must stay below the gateway URL, without another host or `..` segments. */
export function readRequestPath(text: string): PathResult {
  const trimmed = text.trim();
  const [path = "", query = ""] = trimmed.split(/\?(.*)/s, 2);
  if (path === "" || path === "/")
    return { problem: t("Enter a path, such as /gpu/api/v1/servers or /embeddings.") };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    return { problem: t("Enter only the path. The request goes to the profile's own address.") };
  }
  if (!path.startsWith("/")) return { problem: t("The path must begin with a slash.") };
  if (/[\s\\#\p{Cc}\p{Cf}]/u.test(path)) return { problem: t("The path contains invalid characters.") };
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return { problem: t("The path must not contain “..”.") };
  }
  const reading = readParameters(query);
  return "problem" in reading ? reading : { path, parameters: reading.parameters };
}

/** Parses `name=value&name=value`; percent and plus signs have the same meaning as in a query. */
export function readParameters(
  text: string,
): { readonly parameters: readonly RequestParameter[] } | { readonly problem: string } {
  const parameters = splitQuery(text);
  const refused = parameters.find(
    ([name]) => credentialNames.parameters.has(name.toLowerCase()) || isSensitiveName(name),
  );
  if (refused === undefined) return { parameters };
  return {
    problem: t("The parameter {0} is part of the credential, which is added automatically.", refused[0]),
  };
}

/** The parameters as a readable query. */
export function parametersText(parameters: readonly RequestParameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

/** Encodes only what would end a parameter. */
function encode(text: string): string {
  return text.replace(/[%&+=#\s]/g, (character) => encodeURIComponent(character));
}

/** Floor 0 has no URLSearchParams. */
function splitQuery(text: string): readonly RequestParameter[] {
  const pairs = text
    .trim()
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2);
    return [decode(name), decode(value)];
  });
}

/** A bare percent sign is kept as is. */
function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** A sentence if the body isn't valid JSON. It may be empty. */
export function bodyProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  return isJson(text) ? undefined : t("The body isn't JSON.");
}

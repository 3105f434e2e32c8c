import { t } from "@vscode/l10n";
import { credentialKinds, isRefusalReason, refusedKind } from "../../core/account/credentialKinds.ts";
import { formatNumber, formatDuration } from "../../core/kernel/formatTime.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import type { ErrorFacts, TokenCounts } from "../../core/kernel/errors.ts";
import { refusedTime } from "./gatewayRefusal.ts";
import { readWords } from "./phrases.ts";
import { isLongLimit } from "./rateLimit.ts";

interface ErrorMessageContext {
  readonly kind: "inference" | "gateway";
  /** The credential of a gateway request. */
  readonly credential?: GatewayCredentialKind;
  /** The requested URL, without query values. */
  readonly url: string;
  /** Whether a web page was received instead of a response that conforms to the interface. */
  readonly isPage: boolean;
  /** Whether the server reported the error inside a response that started successfully. */
  readonly isInside: boolean;
}

/** Whether the request was for a list: of models, or of servers. */
function isForList({ kind, url }: ErrorMessageContext): boolean {
  return (kind === "inference" ? /\/models\/?(?:\?|$)/ : /\/servers\/?(?:\?|$)/).test(url);
}

/** A full sentence for the user: what happened, in the server's own words if available, and what to do. */
export function errorMessage(facts: Omit<ErrorFacts, "message">, context: ErrorMessageContext): string {
  const words =
    facts.serverMessage === undefined ? "" : ` ${t("Server message: “{0}”.", facts.serverMessage)}`;
  const advice = (context.isPage ? pageHint(facts, context) : undefined) ?? whatToDo(facts, context);
  return `${whatHappened(facts, context)}${words} ${advice}`.replace(/([.!?])”\./g, "$1”");
}

/** ERR_UNAUTHORIZED means that no valid session token was found, even if another kind of credential was sent. */
function isOtherSent({ reason }: Pick<ErrorFacts, "reason">, { credential }: ErrorMessageContext): boolean {
  return reason === "sessionToken" && credential !== undefined && credential !== "sessionToken";
}

function serviceName({ kind }: ErrorMessageContext): string {
  return kind === "inference" ? t("The inference service") : t("The GPU gateway");
}

function whatHappened(facts: Omit<ErrorFacts, "message">, context: ErrorMessageContext): string {
  const service = serviceName(context);
  const status = [facts.statusCode, facts.code === String(facts.statusCode) ? undefined : facts.code];
  const answer = status.filter((part) => part !== undefined).join(", ");
  // An error inside a response may have neither a status nor a code.
  return describe(facts, context, service, answer).replace(/ \(\)/, "");
}

function describe(
  facts: Omit<ErrorFacts, "message">,
  context: ErrorMessageContext,
  service: string,
  answer: string,
): string {
  const { reason, statusCode } = facts;
  const about = reason === "signature" ? refusedTime(facts) : undefined;
  if (about === "nonce")
    return t("{0} has already received a request with this nonce ({1}).", service, answer);
  if (about === "clock") return t("{0} rejected the time of the request ({1}).", service, answer);
  if (statusCode === 511) return t("The network requires you to sign in ({0}).", answer);
  if (isOtherSent(facts, context)) {
    return t("{0} requires a session token, but a different credential was sent ({1}).", service, answer);
  }
  if (isRefusalReason(reason)) return credentialKinds[refusedKind(reason)].refused(service, answer);
  const { url } = context;
  const unusable = t("{0} couldn't be used ({1}).", service, answer);
  const messages: Readonly<Record<typeof reason, string>> = {
    authenticationType: t("{0} doesn't accept this type of credential here ({1}).", service, answer),
    forbidden: t("{0} denied access to this client or account ({1}).", service, answer),
    payment: t("{0} reported that the balance or quota is used up ({1}).", service, answer),
    rateLimit: t("{0} rate-limited the request ({1}).", service, answer),
    overloaded: t("{0} is overloaded right now ({1}).", service, answer),
    contextLength: tooLongMessage(facts.tokens, answer),
    contentFilter: t("{0} rejected the content of the conversation ({1}).", service, answer),
    unknownModel: t("{0} doesn't offer this model to your account ({1}).", service, answer),
    unsupportedParameter:
      facts.parameter === undefined
        ? t("The model doesn't support a parameter of the request ({0}).", answer)
        : t("The model doesn't support the parameter “{0}” of the request ({1}).", facts.parameter, answer),
    unsupportedInput:
      facts.input === "audio"
        ? t("The model doesn't support audio input ({0}).", answer)
        : t("The model doesn't support image input ({0}).", answer),
    notFound: t("Nothing was found at {0} ({1}).", url, answer),
    badRequest: t("{0} rejected the request ({1}).", service, answer),
    unavailable: t("{0} failed or is overloaded ({1}).", service, answer),
    service: context.isInside
      ? t("{0} reported an error in its response ({1}).", service, answer)
      : t("{0} reported an error ({1}).", service, answer),
    redirected: t("{0} redirects to another host ({1}). Credentials weren't sent there.", url, answer),
    malformed: t("{0} returned an unexpected response ({1}).", url, answer),
    proxy: t("A proxy requires authentication or rejected the request ({0}).", answer),
    missingCredential: t(
      "{0} requires an API key, and none is stored for this profile ({1}).",
      service,
      answer,
    ),
    wrongScheme: t("{0} uses HTTPS on this port, but the address starts with http:// ({1}).", url, answer),
    unreachable: unusable,
    tls: unusable,
    timeout: unusable,
    insecure: unusable,
    truncated: unusable,
    budget: unusable,
    configuration: unusable,
  };
  return messages[reason];
}

function tooLongMessage({ limit, requested }: TokenCounts = {}, answer: string): string {
  if (limit !== undefined && requested !== undefined) {
    return t(
      "The conversation is too long for the model: {0} tokens, and the limit is {1} ({2}).",
      formatNumber(requested),
      formatNumber(limit),
      answer,
    );
  }
  return limit === undefined
    ? t("The conversation is too long for the model ({0}).", answer)
    : t(
        "The conversation is too long for the model, which accepts {0} tokens ({1}).",
        formatNumber(limit),
        answer,
      );
}

function whatToDo(facts: Omit<ErrorFacts, "message">, context: ErrorMessageContext): string {
  const refused = refusedKind(facts.reason);
  if (isOtherSent(facts, context)) {
    return t(
      "Set a session token and select it in the profile, or check whether a proxy removes headers or parameters.",
    );
  }
  const about = facts.reason === "signature" ? refusedTime(facts) : undefined;
  if (about === "nonce") return t("Retry. Every request has a new nonce.");
  if (about === "clock") return t("Check this machine's clock, then retry.");
  if (refused !== undefined) return credentialKinds[refused].advice();
  const renewal = isLongLimit(readWords(facts.serverMessage ?? ""))
    ? t("Wait until the quota is renewed, add credit to the account, or use another profile.")
    : undefined;
  switch (facts.reason) {
    case "authenticationType":
      return t("Choose another type of credential for the profile.");
    case "forbidden":
      return t(
        "The key may still be valid. Check the account's permissions and whether a firewall blocks this client.",
      );
    case "payment":
      return renewal ?? t("Add credit to the account, or use another profile.");
    case "rateLimit":
      return waitAdvice(facts) ?? renewal ?? t("Wait a moment and retry.");
    case "notFound":
      return `${addressHint(context)}${versionHint(context)}`;
    case "badRequest":
      return badRequestHint(facts, context);
    case "contextLength":
      return t(
        "Retry with the oldest turns left out, shorten the message, or choose a model with a larger context window.",
      );
    case "contentFilter":
      return t("Change the message, or choose another model.");
    case "unknownModel":
      return t("Choose another model, or check the model name and your account's permissions.");
    case "unsupportedParameter":
      return facts.parameter === undefined
        ? t("Remove parameters in the chat settings, or choose another model.")
        : t("Send the request without it, or choose another model.");
    case "unsupportedInput":
      return t("Send the message without it, or choose another model.");
    case "overloaded":
    case "unavailable":
      return waitAdvice(facts) ?? t("Retry in a moment.");
    case "missingCredential":
      return t("Set the API key, then retry.");
    case "wrongScheme":
      return t("Change http:// to https:// in the profile.");
    case "redirected":
    case "malformed":
      return addressHint(context);
    case "proxy":
      return facts.statusCode === 511
        ? t("Open a web page in a browser and sign in there, then retry.")
        : t("Check the proxy settings.");
    default:
      return t("Retry, or see the log for details.");
  }
}

function waitAdvice({ retryAfterMs }: Pick<ErrorFacts, "retryAfterMs">): string | undefined {
  if (retryAfterMs === undefined) return undefined;
  return t("The server asked to wait {0}.", formatDuration(Math.max(1_000, retryAfterMs), Math.ceil));
}

function addressHint({ kind }: ErrorMessageContext): string {
  return kind === "inference" ? t("Check the profile's base URL.") : t("Check the profile's gateway URL.");
}

/** What was wrong with the request can only be changed where its parts come from. */
function badRequestHint(facts: Omit<ErrorFacts, "message">, context: ErrorMessageContext): string {
  const { statusCode } = facts;
  const isForm = statusCode === 400 || statusCode === 422;
  if (isForList(context)) {
    if (!isForm) return t("Retry, or see the log for details.");
    return context.kind === "inference"
      ? addressHint(context)
      : t("Check the parameters of the list, which “serverListQuery” in the profile sets.");
  }
  if (context.kind === "gateway") return t("Change the request, then send it again.");
  if (statusCode === 413) return t("Shorten the message or remove attachments.");
  return t("The same request would fail again. Choose another model, or change the request.");
}

/** A web page shows what responded: something in front of a failing service, or in place of a nonexistent one. */
function pageHint(facts: Omit<ErrorFacts, "message">, { url }: ErrorMessageContext): string | undefined {
  const { reason, statusCode } = facts;
  if (reason === "unavailable" || reason === "rateLimit" || statusCode === 413 || statusCode === 511)
    return undefined;
  return t(
    "Received a web page instead of an API response. Check for a proxy, a login page, or a wrong base URL. Request URL: {0}.",
    url,
  );
}

/** The mistakes behind most 404s: a base URL without `/v1`, or with two of them. */
function versionHint({ kind, url }: ErrorMessageContext): string {
  if (kind !== "inference") return ` ${t("Use the gateway's origin only, without /gpu/api/v1.")}`;
  const path = new URL(url).pathname;
  if (/\/v1\/(?:.*\/)?v1\//.test(path)) return ` ${t("The URL contains “/v1” twice.")}`;
  return path.includes("/v1/") ? "" : ` ${t("The URL usually ends with “/v1”.")}`;
}

/**
 * Method and URL in a form that may be shown and logged. Only the names in the query are kept: it contains a signature,
 * a nonce and a token (interface sections 5.2 to 5.4), and readers don't need the other values. User info is removed,
 * too.
 */
export function describeRequest(method: string, url: URL): string {
  return `${method} ${describeUrl(url)}`;
}

/** The URL without query values, user info and fragment. */
export function describeUrl(url: URL): string {
  const names = [...new Set(url.searchParams.keys())].map((name) => encodeURIComponent(name));
  const query = names.length === 0 ? "" : `?${names.join("&")}`;
  return `${url.origin}${url.pathname}${query}`;
}

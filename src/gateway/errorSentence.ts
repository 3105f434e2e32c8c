import { assertNever } from "../core/assertNever.ts";
import type { GatewayCredentialKind } from "../core/credential.ts";
import type { ErrorFacts } from "../core/errors.ts";

export interface SentenceContext {
  readonly kind: "inference" | "gateway";
  /** What a gateway request was authenticated with. */
  readonly credential?: GatewayCredentialKind;
  /** The URL that was called, without query values. */
  readonly url: string;
  /** Whether a web page came instead of what the interface says. */
  readonly isPage: boolean;
}

/** A full sentence for the user: what happened, in the server's words where there are any, and what to do. */
export function errorSentence(facts: Omit<ErrorFacts, "message">, context: SentenceContext): string {
  const words = facts.serverMessage === undefined ? "" : ` It said: “${facts.serverMessage}”.`;
  const advice = (context.isPage ? pageHint(facts, context) : undefined) ?? whatToDo(facts, context);
  return `${whatHappened(facts, context)}${words} ${advice}`.replace(/([.!?])”\./g, "$1”");
}

/** ERR_UNAUTHORIZED means that no valid session token was found, which need not be what was sent. */
function isOtherSent({ credential }: SentenceContext): boolean {
  return credential !== undefined && credential !== "sessionToken";
}

function serviceName({ kind }: SentenceContext): string {
  return kind === "inference" ? "The inference service" : "The GPU gateway";
}

function whatHappened(facts: Omit<ErrorFacts, "message">, context: SentenceContext): string {
  const service = serviceName(context);
  const status = [facts.statusCode, facts.code === String(facts.statusCode) ? undefined : facts.code];
  const answer = status.filter((part) => part !== undefined).join(", ");
  switch (facts.reason) {
    case "apiKey":
      return `${service} refused the API key (${answer}).`;
    case "sessionToken":
      return isOtherSent(context)
        ? `${service} asks for a session token, although another credential was sent (${answer}).`
        : `${service} refused the session token (${answer}).`;
    case "stsToken":
      return `${service} refused the STS token, which is invalid or has expired (${answer}).`;
    case "authenticationType":
      return `${service} does not accept this kind of credential here (${answer}).`;
    case "signature":
      return `${service} refused the signature of the request (${answer}).`;
    case "forbidden":
      return `${service} refuses this client or this account (${answer}).`;
    case "payment":
      return `${service} says that the balance or quota is used up (${answer}).`;
    case "rateLimit":
      return `${service} limits the rate of requests (${answer}).`;
    case "notFound":
      return `There is nothing at ${context.url} (${answer}).`;
    case "badRequest":
      return `${service} refused the request (${answer}).`;
    case "unavailable":
      return `${service} failed or is overloaded (${answer}).`;
    case "service":
      return `${service} reported an error (${answer}).`;
    case "redirected":
      return `${context.url} points to another place (${answer}); credentials were not sent there.`;
    case "malformed":
      return `${context.url} answered with something else than the interface says (${answer}).`;
    case "proxy":
      return `A proxy on the way asks for credentials or refused the request (${answer}).`;
    case "unreachable":
    case "tls":
    case "timeout":
    case "insecure":
    case "truncated":
    case "missingCredential":
    case "configuration":
      return `${service} could not be used (${answer}).`;
    default:
      return assertNever(facts.reason);
  }
}

function whatToDo(facts: Omit<ErrorFacts, "message">, context: SentenceContext): string {
  switch (facts.reason) {
    case "apiKey":
      return "Set another API key.";
    case "sessionToken":
      if (isOtherSent(context)) {
        return "Set a session token and choose it in the profile, or check whether a proxy on the way removes headers or parameters.";
      }
      return "Set a new session token, or choose another kind of credential in the profile.";
    case "stsToken":
      return "Set a new STS token.";
    case "authenticationType":
      return "Choose another kind of credential for the profile.";
    case "signature":
      return "Check the access key, its API secret and the clock of this machine.";
    case "forbidden":
      return "This need not be a wrong key: check what the account may do, and whether a network on the way blocks this client.";
    case "payment":
      return "Top up the account, or use another profile.";
    case "rateLimit":
      return facts.retryAfterMs === undefined
        ? "Wait a moment and retry."
        : `It asks to wait ${inWords(facts.retryAfterMs)}.`;
    case "notFound":
      return `Check the base URL of the profile.${versionHint(context)}`;
    case "badRequest":
      if (facts.statusCode === 413) return "Make the message or what is attached to it smaller.";
      return "The same request would fail again: choose another model, or change the request.";
    case "unavailable":
      return facts.retryAfterMs === undefined
        ? "Retry in a moment."
        : `It asks to wait ${inWords(facts.retryAfterMs)}.`;
    case "redirected":
    case "malformed":
      return "Check the base URL of the profile.";
    case "proxy":
      return "Check the proxy settings.";
    default:
      return "Retry, or see the log for details.";
  }
}

/** A page tells who answered: in front of a service that fails, or in place of one that isn't there. */
function pageHint(facts: Omit<ErrorFacts, "message">, { url }: SentenceContext): string | undefined {
  if (facts.reason === "unavailable" || facts.reason === "rateLimit" || facts.statusCode === 413)
    return undefined;
  return `A web page came instead of an answer, so a proxy, a login page or a wrong base URL is likely. The request went to ${url}.`;
}

/** The mistakes that cause most 404s: a base URL without its `/v1`, or with two of them. */
function versionHint({ kind, url }: SentenceContext): string {
  if (kind !== "inference") return " It is the origin of the gateway, without /gpu/api/v1.";
  const path = new URL(url).pathname;
  if (/\/v1\/(?:.*\/)?v1\//.test(path)) return " It has “/v1” twice.";
  return path.includes("/v1/") ? "" : " It usually ends with “/v1”, which is missing here.";
}

/** Such as `20 s`, `2 min`. */
export function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

import { t } from "@vscode/l10n";
import type { HttpRequest, HttpResponse } from "./transport.ts";
import { failure } from "./transportErrors.ts";

/**
 * The request to send after a redirect; undefined where the response is none. Only the same origin is followed, with
 * method and body as they are: anything else rejects as `redirected`, before anything is sent there.
 */
export function followRedirect(request: HttpRequest, response: HttpResponse): HttpRequest | undefined {
  const { location } = response.headers;
  if (location === undefined || !isRedirect(response.statusCode)) return undefined;
  const target = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
  if (target === undefined) throw refuse(request, response, t("to an invalid URL"));
  if (target.origin !== request.url.origin) {
    throw refuse(
      request,
      response,
      target.origin === "null" ? t("to a different URL scheme") : t("to {0}", target.origin),
    );
  }
  const keepsMethod = response.statusCode === 307 || response.statusCode === 308;
  if (request.method !== "GET" && !keepsMethod) {
    throw refuse(request, response, t("elsewhere, in a way that would drop the request body"));
  }
  target.hash = "";
  return { ...request, url: target };
}

/** How many redirects are followed in a row. */
export const maxRedirects = 5;

export function tooManyRedirects(request: HttpRequest): Error {
  return failure("redirected", t("Too many redirects. Check the base URL of the profile."), request);
}

function isRedirect(statusCode: number): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}

function refuse(request: HttpRequest, { statusCode }: HttpResponse, where: string): Error {
  const what = t(
    "{0} redirected the request {1} (status {2}). Nothing was sent there. If that is the correct host, update the base URL of the profile.",
    request.url.host,
    where,
    statusCode,
  );
  return failure("redirected", what, request, { statusCode });
}

import { t } from "@vscode/l10n";
import type { HttpRequest, HttpResponse } from "./transport.ts";
import { failure } from "./transportErrors.ts";

/**
 * The request to send after a redirect; undefined if the response isn't one. Only redirects to the same origin are
 * followed, with unchanged method and body: any other rejects as `redirected` before anything is sent there.
 */
export function followRedirect(request: HttpRequest, response: HttpResponse): HttpRequest | undefined {
  const { location } = response.headers;
  if (location === undefined || !isRedirect(response.statusCode)) return undefined;
  const { host } = request.url;
  const target = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
  if (target === undefined || target.origin !== request.url.origin) {
    const isWeb = target !== undefined && target.origin !== "null";
    const what = isWeb
      ? t(
          "{0} redirected the request to {1} (status {2}), and nothing was sent there. If that is the correct host, update the profile's base URL.",
          host,
          target.origin,
          String(response.statusCode),
        )
      : t(
          "{0} redirected the request to an invalid URL (status {1}). Nothing was sent to it.",
          host,
          String(response.statusCode),
        );
    throw refuse(what, request, response);
  }
  if (request.isOnce === true)
    throw refuse(
      t(
        "{0} redirected the request (status {1}). It was sent only once, and nothing was sent to the new address.",
        host,
        String(response.statusCode),
      ),
      request,
      response,
    );
  const keepsMethod = response.statusCode === 307 || response.statusCode === 308;
  if (request.method !== "GET" && !keepsMethod) {
    const what = t(
      "{0} redirected the request in a way that would drop its body (status {1}). Nothing was sent to the new address. Check the profile's base URL.",
      host,
      String(response.statusCode),
    );
    throw refuse(what, request, response);
  }
  target.hash = "";
  return { ...request, url: target };
}

/** Maximum number of consecutive redirects. */
export const maxRedirects = 5;

/** The error for a request whose redirects don't end. */
export function tooManyRedirects(request: HttpRequest): Error {
  return failure("redirected", t("Too many redirects. Check the profile's base URL."), request);
}

function isRedirect(statusCode: number): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}

/** Nothing is sent to the target. */
function refuse(what: string, request: HttpRequest, { statusCode }: HttpResponse): Error {
  return failure("redirected", what, request, { statusCode });
}

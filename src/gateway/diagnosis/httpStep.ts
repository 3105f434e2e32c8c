import { t } from "@vscode/l10n";
import { changeRemedy } from "../../core/diagnosis/checkSettings.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { createResponseError, readErrorText, readRequestId } from "../http/errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import { cleanServerText, parseErrorText } from "../errors/serverText.ts";
import { requestBare, schemeRemedies } from "./target.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Checks whether the service is what responds: without a credential, it should require one. */
export const httpStep: DiagnosisStep<Target> = {
  title: () => t("HTTP response"),
  async run(target, signal): Promise<Finding> {
    const response = await requestBare(target, target.url, signal);
    const text = await readErrorText(response);
    target.answer = response;
    const facts = factsOf(response, text);
    const { statusCode } = response;
    const { pageTitle } = parseErrorText(text);
    if (statusCode < 300 && pageTitle === undefined) {
      return {
        status: "passed",
        summary: t("Reachable without authentication ({0}).", String(statusCode)),
        facts,
      };
    }
    if (statusCode === 401) {
      return {
        status: "passed",
        summary: t("Reachable; requires authentication ({0}).", String(statusCode)),
        facts,
      };
    }
    const error = createResponseError(response, parseErrorText(text), text, {
      kind: target.role,
      method: "GET",
      url: target.url,
    });
    const { message, reason } = error;
    const remedies =
      reason === "notFound" || (reason !== "wrongScheme" && pageTitle !== undefined)
        ? await otherPlaces(target, signal)
        : schemeRemedies(target, error.facts);
    const isLost =
      reason === "wrongScheme" || reason === "notFound" || reason === "malformed" || reason === "redirected";
    // A server may behave differently with a credential, as the next steps show.
    return {
      status: isLost ? "failed" : "warning",
      summary: message,
      facts,
      remedies,
      ...(isLost && statusCode !== 404
        ? { stops: t("The responding server isn't the expected service.") }
        : {}),
    };
  },
};

function factsOf(response: HttpResponse, text: string): readonly Fact[] {
  const { headers, statusCode } = response;
  const { pageTitle, code } = parseErrorText(text);
  const requestId = readRequestId(headers);
  const all: readonly (readonly [string, string | undefined])[] = [
    [t("Status"), String(statusCode)],
    [t("Round trip"), t("{0} ms", formatNumber(Math.round(response.receivedAt - response.sentAt)))],
    [t("Server"), headers["server"]],
    [t("Proxies (Via)"), headers["via"]],
    [t("Content type"), headers["content-type"]],
    [t("Page title"), pageTitle],
    [t("Error code"), code],
    [t("Request ID"), requestId],
  ];
  return all.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : [{ label, value: cleanServerText(value) }],
  );
}

/**
 * Other locations of the service on the same origin, requested without a credential; the first one that responds is
 * offered.
 */
async function otherPlaces(target: Target, signal: AbortSignal): Promise<readonly ReportRemedy[]> {
  const { role, url, profile } = target;
  const option = role === "inference" ? "inferenceBaseUrl" : "gatewayUrl";
  const end = role === "inference" ? "/models" : "/gpu/api/v1/servers";
  const bases = role === "inference" ? ["/v1", "/api/v1", "/openai/v1"] : ["", "/api"];
  for (const base of bases) {
    const candidate = new URL(`${url.origin}${base}${end}`);
    if (candidate.pathname === url.pathname) continue;
    const isThere = await isService(target, candidate, signal).catch(() => false);
    if (isThere) return [changeRemedy(profile.name, option, `${url.origin}${base}`)];
  }
  return [];
}

async function isService(target: Target, url: URL, signal: AbortSignal): Promise<boolean> {
  const response = await requestBare(target, url, signal);
  const text = await readErrorText(response);
  const isResponse = response.statusCode < 300 || response.statusCode === 401;
  return isResponse && parseErrorText(text).pageTitle === undefined;
}

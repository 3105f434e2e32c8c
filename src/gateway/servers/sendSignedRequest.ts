import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { SignedRequestDraft, SignedResponse } from "../../core/servers/actions/signedRequest.ts";
import { cleanServerText, redactSecrets } from "../errors/serverText.ts";
import { createReportedError, readRequestId } from "../http/errorResponse.ts";
import type { FailedResponse, GatewayResponse, GatewaySenderOptions } from "../auth/gatewaySender.ts";
import { GatewaySender } from "../auth/gatewaySender.ts";
import { createServersUrl, createQuery } from "../auth/gatewayRequest.ts";
import { readWholeBody } from "../http/decodeBody.ts";
import { isErrorEnvelope } from "./readServerList.ts";

const maxBytes = 16 * 1024 * 1024;

/**
 * The URL of a draft below the profile's gateway URL, without any credential. Throws `configuration` if it is outside.
 */
function createSignedUrl(gatewayUrl: string | undefined, draft: SignedRequestDraft): URL {
  const servers = createServersUrl(gatewayUrl);
  const base = servers.pathname.replace(/\/gpu\/api\/v1\/servers$/, "");
  const url = new URL(`${servers.origin}${base}${draft.path}`);
  if (url.origin !== servers.origin || !url.pathname.startsWith(`${base}/`)) {
    throw new ServiceError({
      reason: "configuration",
      message: t("Nothing was sent: the path points outside the profile's gateway."),
    });
  }
  url.search = createQuery(draft.parameters);
  return url;
}

/**
 * Sends the request with the profile's credential, once, and resolves with whatever the gateway returns. Rejects with a
 * ServiceError if there is no response, or with the signal's reason.
 */
export async function sendSignedRequest(
  options: GatewaySenderOptions,
  draft: SignedRequestDraft,
  signal: AbortSignal,
): Promise<SignedResponse> {
  const isOnce = draft.isOnce === true;
  const url = createSignedUrl(options.profile.gatewayUrl, draft);
  // The parameters of the server list apply only to the list.
  const sender = new GatewaySender({ ...options, profile: { ...options.profile, serverListQuery: {} } });
  let failed: FailedResponse | undefined;
  const { method, body } = draft;
  try {
    const answer = await sender.send({
      method,
      url,
      ...(body === undefined ? {} : { body }),
      signal,
      isOnce,
      onFailed: (last) => (failed = last),
    });
    const text = await readWholeBody(answer.response.body, maxBytes, tooLong);
    // Many services report a failure with status 200.
    const document = parseJson(text);
    const problem = isErrorEnvelope(document)
      ? { problem: createReportedError(answer.response, document, answer.context).message }
      : {};
    return { ...describe(answer, url, text), ...problem };
  } catch (error) {
    if (failed === undefined || !(error instanceof ServiceError)) throw error;
    return { ...describe(failed.answer, url, failed.text), problem: error.message };
  }
}

/** A gateway may repeat what it was sent. */
function describe({ response, context }: GatewayResponse, url: URL, text: string): SignedResponse {
  const { headers, statusCode, sentAt, receivedAt } = response;
  const secrets = context.secrets ?? [];
  const requestId = readRequestId(headers, secrets);
  const contentType = headers["content-type"];
  return {
    method: context.method,
    url: url.href,
    statusCode,
    tookMs: receivedAt - sentAt,
    text: redactSecrets(text, secrets),
    ...(contentType === undefined ? {} : { contentType: cleanServerText(contentType, secrets) }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function tooLong(): ServiceError {
  return new ServiceError({
    reason: "malformed",
    message: t("The response is longer than 16 MB and was truncated."),
  });
}

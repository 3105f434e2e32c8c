import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { SignedRequestDraft, SignedResponse } from "../../core/servers/actions/signedRequest.ts";
import { createReportedError, describeSigned, readSignedBody } from "../http/errorResponse.ts";
import type { FailedResponse, GatewaySenderOptions } from "../auth/gatewaySender.ts";
import { GatewaySender } from "../auth/gatewaySender.ts";
import { createServersUrl, createQuery } from "../auth/gatewayRequest.ts";
import { isErrorEnvelope } from "./readServerList.ts";

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
    const text = await readSignedBody(answer.response);
    // Many services report a failure with status 200.
    const document = parseJson(text);
    const problem = isErrorEnvelope(document)
      ? { problem: createReportedError(answer.response, document, answer.context).message }
      : {};
    return { ...describeSigned(answer.response, answer.context, url, text), ...problem };
  } catch (error) {
    if (failed === undefined || !(error instanceof ServiceError)) throw error;
    const { answer, text } = failed;
    return { ...describeSigned(answer.response, answer.context, url, text), problem: error.message };
  }
}

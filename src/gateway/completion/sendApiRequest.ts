import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { SignedResponse } from "../../core/servers/signedRequest/responseDocument.ts";
import type { SignedRequestDraft } from "../../core/servers/signedRequest/signedRequest.ts";
import { cleanServerText, parseErrorText, redactSecrets } from "../errors/serverText.ts";
import { readWholeBody } from "../http/bodyText.ts";
import { createResponseError, readRequestId } from "../http/errorResponse.ts";
import { createInferenceUrl } from "./inferenceUrl.ts";
import { sendInference } from "./inferenceClient.ts";
import type { InferenceSenderOptions } from "./inferenceClient.ts";

const maxBytes = 16 * 1024 * 1024;

/**
 * Sends a request to any endpoint below the inference base URL with the profile's API key, once, and resolves with
 * whatever the service returns. Rejects with a ServiceError if there is no response, or with the signal's reason.
 */
export async function sendApiRequest(
  options: InferenceSenderOptions & { readonly baseUrl: string },
  { method, path, parameters, body }: SignedRequestDraft,
  signal: AbortSignal,
): Promise<SignedResponse> {
  const base = createInferenceUrl(options.baseUrl, "");
  const url = new URL(`${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, "")}${path}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname.replace(/(?<!\/)\/+$/, ""))) {
    throw new ServiceError({
      reason: "configuration",
      message: t("Nothing was sent: the path points outside the profile's inference service."),
    });
  }
  url.search = base.search;
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  const { response, context } = await sendInference(options, {
    method,
    url,
    signal,
    ...(body === undefined ? {} : { body }),
  });
  const text = await readWholeBody(
    response.body,
    maxBytes,
    () =>
      new ServiceError({
        reason: "malformed",
        message: t("The response is longer than 16 MB and was truncated."),
      }),
  );
  const { headers, statusCode, sentAt, receivedAt } = response;
  const secrets = context.secrets ?? [];
  const requestId = readRequestId(headers, secrets);
  const contentType = headers["content-type"];
  const isGood = statusCode >= 200 && statusCode < 300;
  return {
    method,
    url: redactSecrets(url.href, secrets),
    statusCode,
    tookMs: receivedAt - sentAt,
    text: redactSecrets(text, secrets),
    ...(contentType === undefined ? {} : { contentType: cleanServerText(contentType, secrets) }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(isGood
      ? {}
      : { problem: createResponseError(response, parseErrorText(text), text, context).message }),
  };
}

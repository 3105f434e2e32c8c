import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { SignedRequestDraft, SignedResponse } from "../../core/servers/actions/signedRequest.ts";
import type { LedgerAnswer, LedgerRequest } from "../../core/responses/usage/ledger.ts";
import type { Usage, SentRequest } from "../../core/conversation/completion.ts";
import { isRecord, numberField, parseJson, stringField } from "../../core/kernel/json.ts";
import { parseUsage } from "./completionChunk.ts";
import { parseErrorText } from "../errors/serverText.ts";
import { createResponseError, describeSigned, readSignedBody } from "../http/errorResponse.ts";
import { isGood } from "../http/transport.ts";
import { redactionMark, isSensitiveName } from "../../core/account/redaction.ts";
import { createInferenceUrl } from "./inferenceUrl.ts";
import { sendInference } from "./inferenceClient.ts";
import type { InferenceSenderOptions } from "./inferenceClient.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** Fields of a body that contain text for the model. */
const inputFields = ["messages", "input", "prompt", "query", "documents", "contents", "texts", "text"];
const media = /data:[\w.+-]{1,60}\/[\w.+-]{1,60};base64,[A-Za-z0-9+/=]+/g;
/** UTF-16 units of text that cost about as much as an image. */
const mediaUnits = 4_000;

/** The part of a request that a model charges for; undefined if it isn't sent to a model. */
export function modelRequestOf({
  method,
  body,
}: Pick<SignedRequestDraft, "method" | "body">):
  Pick<LedgerRequest, "model" | "input" | "maxTokens"> | undefined {
  const value = method === "GET" || body === undefined ? undefined : parseJson(body);
  const model = isRecord(value) ? stringField(value, "model") : undefined;
  if (!isRecord(value) || model === undefined || !inputFields.some((name) => value[name] !== undefined))
    return undefined;
  const maxTokens = numberField(value, "max_tokens") ?? numberField(value, "max_completion_tokens");
  const input = (body ?? "").replace(media, " ".repeat(mediaUnits));
  // Only a response in words has tokens of its own.
  const isCompletion = value["messages"] !== undefined || value["prompt"] !== undefined;
  return filledFields({ model, input, maxTokens: isCompletion ? maxTokens : 0 });
}

/** The request as it can be inspected: without its key, and without parameters that contain another one. */
export function sentRequestOf(
  baseUrl: string,
  { method, path, parameters, body = "" }: SignedRequestDraft,
): SentRequest {
  const url = createInferenceUrl(baseUrl, "");
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  for (const name of new Set(url.searchParams.keys()))
    if (isSensitiveName(name)) url.searchParams.set(name, redactionMark);
  const headers = { "content-type": "application/json", authorization: `Bearer ${redactionMark}` };
  return { method, url: url.href, headers, body };
}

/** What is entered in the usage records about a response of any kind, including a stream, exactly as received. */
export function answerOf(response: SignedResponse): LedgerAnswer {
  const { text, requestId } = response;
  const usage =
    usageIn(text) ??
    text
      .split(/\r?\n/)
      .reduce<Usage | undefined>(
        (last, line) => (line.startsWith("data:") ? usageIn(line.slice(5)) : undefined) ?? last,
        undefined,
      );
  const counted = usage && { completionTokens: 0, ...usage };
  return filledFields({ isGood: isGood(response), usage: counted, requestId });
}

function usageIn(text: string): Usage | undefined {
  const value = parseJson(text);
  const meta = isRecord(value) ? value["meta"] : undefined;
  return isRecord(value)
    ? (parseUsage(value["usage"]) ?? (isRecord(meta) ? parseUsage(meta["tokens"]) : undefined))
    : undefined;
}

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
  const { response, context } = await sendInference(options, filledFields({ method, url, signal, body }));
  const text = await readSignedBody(response);
  return {
    ...describeSigned(response, context, url, text),
    ...(isGood(response)
      ? {}
      : { problem: createResponseError(response, parseErrorText(text), text, context).message }),
  };
}

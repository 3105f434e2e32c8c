import { t } from "@vscode/l10n";
import type { Usage } from "../../core/conversation/completion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isRecord, numberField, parseJson } from "../../core/kernel/json.ts";
import { readWholeBody } from "../http/decodeBody.ts";
import { readErrorResponse } from "../http/errorResponse.ts";
import { parseUsage } from "./completionChunk.ts";
import { createInferenceUrl } from "./inferenceUrl.ts";
import { sendInference } from "./inferenceClient.ts";
import type { InferenceSenderOptions } from "./inferenceClient.ts";

/** The embeddings of several texts. */
export interface Embeddings {
  /** In the order of the texts, all of the same length. */
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
}

const maxBytes = 64 * 1024 * 1024;
/** More dimensions than any model has. */
const mostDimensions = 16_384;

/**
 * Requests the embeddings of texts (`POST /v1/embeddings`), once. Rejects with a ServiceError, or with the signal's
 * reason.
 */
export async function requestEmbeddings(
  options: InferenceSenderOptions & { readonly baseUrl: string },
  model: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Embeddings> {
  const url = createInferenceUrl(options.baseUrl, "/embeddings");
  const body = JSON.stringify({ model, input: texts });
  const { response, context } = await sendInference(options, { url, signal, body });
  if (response.statusCode < 200 || response.statusCode >= 300)
    throw await readErrorResponse(response, context);
  const text = await readWholeBody(response.body, maxBytes, malformed);
  const embeddings = parseEmbeddings(parseJson(text), texts.length);
  if (embeddings === undefined) throw malformed();
  return embeddings;
}

/** Parses the response; undefined if it isn't one embedding for each of `count` texts. */
export function parseEmbeddings(value: unknown, count: number): Embeddings | undefined {
  if (!isRecord(value)) return undefined;
  const list: unknown = value["data"] ?? value["embeddings"];
  if (!Array.isArray(list) || list.length !== count) return undefined;
  const vectors = new Map<number, readonly number[]>();
  for (const [position, entry] of list.entries()) {
    const embedding: unknown = isRecord(entry) ? entry["embedding"] : entry;
    const index = (isRecord(entry) ? numberField(entry, "index") : undefined) ?? position;
    if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > mostDimensions)
      return undefined;
    if (!embedding.every((number) => typeof number === "number" && Number.isFinite(number))) return undefined;
    vectors.set(index, embedding);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index) ?? []);
  const length = ordered[0]?.length;
  if (ordered.some((vector) => vector.length === 0 || vector.length !== length)) return undefined;
  const usage = parseUsage(value["usage"]);
  return { vectors: ordered, ...(usage === undefined ? {} : { usage }) };
}

function malformed(): ServiceError {
  return new ServiceError({
    reason: "malformed",
    message: t("The service didn't return an embedding for each text. Select another embedding model."),
  });
}

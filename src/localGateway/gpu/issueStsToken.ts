import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "../../core/kernel/json.ts";
import { HttpFailure, readBody, sendJson } from "../http/reply.ts";
import type { Identity } from "./identity.ts";
import type { StsTokens } from "./stsTokens.ts";

/** Seconds; both bounds are ours. */
export const defaultStsLifetime = 3600;
const longestStsLifetime = 12 * 3600;

/** `POST /sts/v1/tokens`: a token for any caller, with the lifetime that the body may set as `duration_seconds`. */
export async function issueStsToken(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity,
  tokens: StsTokens,
): Promise<void> {
  const lifetime = parseLifetime(await readBody(request));
  const token = await tokens.issue(identity, lifetime);
  sendJson(response, 200, { token, expires_in: lifetime }, { "cache-control": "no-store" });
}

function parseLifetime(text: string): number {
  const body = text === "" ? {} : parseJson(text);
  if (!isRecord(body)) throw badRequest("The body is not a JSON object.");
  const lifetime = body["duration_seconds"] ?? defaultStsLifetime;
  if (typeof lifetime === "number" && Number.isInteger(lifetime) && lifetime >= 1) {
    if (lifetime <= longestStsLifetime) return lifetime;
  }
  throw badRequest(`duration_seconds must be an integer from 1 to ${longestStsLifetime}.`);
}

function badRequest(message: string): HttpFailure {
  return new HttpFailure(400, { code: "BAD_REQUEST", message });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { HttpFailure } from "../http/reply.ts";

/** The four codes of interface section 7; the status is 401 for all of them. */
export type RefusalCode = "ERR_UNAUTHORIZED" | "ERR_STS_UNAUTHORIZED" | "ERR_AUTHTYPE" | "ERR_SIGNATURE";

/** The interface doesn't specify the format of the body; this one is ours. */
export function refusal(code: RefusalCode, message: string): HttpFailure {
  return new HttpFailure(401, { code, message });
}

import { HttpFailure } from "../http/reply.ts";

/** The four codes of interface section 7; all of them are answered with 401. */
export type RefusalCode = "ERR_UNAUTHORIZED" | "ERR_STS_UNAUTHORIZED" | "ERR_AUTHTYPE" | "ERR_SIGNATURE";

/** The shape of the body is not shown in the interface: this one is ours. */
export function refusal(code: RefusalCode, message: string): HttpFailure {
  return new HttpFailure(401, { code, message });
}

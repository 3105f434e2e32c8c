import { ServiceError } from "./errors.ts";
import type { Log } from "./log.ts";

/** Logs a failure: as a warning if the user can fix it, as an error if it is our own mistake. */
export function logFailure(log: Log, error: unknown): void {
  if (error instanceof ServiceError) log.warn(failureMessage(error));
  else log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** A failure in one line: reason, sentence, facts and the message of the cause. For the log, which redacts it. */
export function failureMessage(error: ServiceError): string {
  const { reason, message, statusCode, code, requestId, request } = error.facts;
  const facts = [
    message.includes(request ?? "") ? undefined : request,
    statusCode === undefined ? undefined : `status ${statusCode}`,
    code === undefined ? undefined : `code ${code}`,
    requestId === undefined ? undefined : `request id ${requestId}`,
    describeCause(error.cause),
  ].filter((fact) => fact !== undefined);
  return `${reason}: ${message}${facts.length === 0 ? "" : ` [${facts.join(", ")}]`}`;
}

function describeCause(cause: unknown): string | undefined {
  if (cause instanceof ServiceError) return describeCause(cause.cause);
  return cause instanceof Error ? `cause: ${(cause.message || cause.name).slice(0, 500)}` : undefined;
}

import { t } from "@vscode/l10n";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { readErrorClues } from "../errors/errorClues.ts";
import { parseErrorValue } from "../errors/errorJson.ts";
import { errorReason } from "../errors/errorReason.ts";
import { errorMessage } from "../errors/errorMessage.ts";
import { parseErrorText } from "../errors/errorText.ts";
import { cleanServerText } from "../errors/serverText.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import { scalarText } from "./scalarText.ts";

const successWords = /^(?:ok|okay|success|successful|succeeded|succeed|true|done|none|no[_ ]?error|)$/i;
const failureWords = /^(?:errors?|fail|failed|failure|denied|unauthorized|forbidden|false|ko|nok)$/i;
const codeNames = /^(?:code|errcode|errorcode|retcode|resultcode|returncode|errno|statuscode)$/;
const stateNames = /^(?:status|success|ok|result|succeeded|issuccess)$/;

/** Whether a reply without servers says that something went wrong, whatever its HTTP status was. */
export function isErrorEnvelope(document: unknown): boolean {
  if (!isRecord(document)) return false;
  const fields = new Map(Object.entries(document).map(([name, value]) => [fieldName(name), value]));
  if ([...fields].some(([name, value]) => isFailedField(name, value))) return true;
  const codes = [...fields].filter(([name, value]) => codeNames.test(name) && isErrorCode(value));
  if (codes.some(([, code]) => typeof code === "string" && /[A-Za-z]/.test(code))) return true;
  if (codes.length > 0 && !saysSuccess(fields)) return true;
  return [...fields.values()].some((value) => isRecord(value) && isWrappedError(value));
}

/** Some services have a number of their own for success. */
function saysSuccess(fields: ReadonlyMap<string, unknown>): boolean {
  const message = scalarText(fields.get("message") ?? fields.get("msg")) ?? "";
  if (/^(?:ok|succe|getting|retrieved|fetched)/i.test(message)) return true;
  return [...fields].some(([name, value]) => stateNames.test(name) && isSuccess(value));
}

function isFailedField(name: string, value: unknown): boolean {
  if (stateNames.test(name))
    return value === false || (typeof value === "string" && failureWords.test(value.trim()));
  if (name !== "error" && name !== "errors") return false;
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value)
    ? Object.keys(value).length > 0
    : typeof value === "string" && !successWords.test(value);
}

function isSuccess(value: unknown): boolean {
  return value === true || (typeof value === "string" && successWords.test(value.trim()));
}

/** 0 and 200 mean success nearly everywhere, and so do the words for it. */
function isErrorCode(value: unknown): boolean {
  const code = scalarText(value);
  if (code === undefined || /^0*$/.test(code) || /^2\d\d(?:00)?$/.test(code)) return false;
  return !successWords.test(code);
}

/** `{"Response": {"Error": {"Code": …}}}` */
function isWrappedError(record: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(record).some(
    ([name, value]) => fieldName(name) === "error" && isRecord(value) && Object.keys(value).length > 0,
  );
}

/** The error that stands in place of a list, with the reason that its code gives it (interface section 7). */
export function createListError(document: unknown, text: string): ServiceError {
  const body = parseErrorValue(document);
  const { reason, code } = errorReason({
    kind: "gateway",
    statusCode: 200,
    body,
    text: text.slice(0, 4_000),
    clues: readErrorClues(document, Date.now()),
  });
  const serverMessage = body.message === undefined ? "" : cleanServerText(body.message);
  const facts: Omit<ErrorFacts, "message"> = {
    reason: reason === "malformed" || reason === "redirected" ? "service" : reason,
    ...(code === undefined ? {} : { code: cleanServerText(code) }),
    ...(serverMessage === "" ? {} : { serverMessage }),
  };
  const message = errorMessage(facts, {
    kind: "gateway",
    url: t("the address of the server list"),
    isPage: false,
    isInside: false,
  });
  return new ServiceError({ ...facts, message: message.replace(/ \(\)/, "") });
}

/** The error for a reply that isn't JSON: a page of a proxy, a bare error code, nothing at all. */
export function createTextError(text: string, cause: unknown): ServiceError {
  const body = text.trim();
  if (/^\W*ERR_[A-Z_]+\b/.test(body)) return createListError(body.slice(0, 500), body);
  const { pageTitle } = parseErrorText(body);
  return malformed(describeText(body, pageTitle), cause);
}

function describeText(body: string, pageTitle: string | undefined): string {
  if (body === "") return t("The GPU gateway returned an empty response instead of a list of servers.");
  if (!body.startsWith("<"))
    return t("The GPU gateway returned a response that isn't JSON instead of a list of servers.");
  if (pageTitle === undefined) return t("The GPU gateway returned a web page instead of a list of servers.");
  const title = cleanServerText(pageTitle);
  return t("The GPU gateway returned a web page titled “{0}” instead of a list of servers.", title);
}

/** The error for JSON in which nothing can be a list of servers. */
export function createShapeError(): ServiceError {
  return malformed(t("The GPU gateway responded, but the response contains no server list."));
}

function malformed(what: string, cause?: unknown): ServiceError {
  const advice = t(
    "Check the gateway URL of the profile. A proxy, a login page or another service may have responded.",
  );
  return new ServiceError({ reason: "malformed", message: `${what} ${advice}` }, cause);
}

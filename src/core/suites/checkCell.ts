import { t } from "@vscode/l10n";
import { formatCost } from "../conversation/prices.ts";
import type { Cost } from "../conversation/prices.ts";
import { assertNever } from "../kernel/assertNever.ts";
import { isRecord } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import { describeVerdict } from "../responses/structured/checkResponse.ts";
import type { ResponseCheck, SchemaValidator, SchemaVerdict } from "../responses/structured/responseCheck.ts";
import { responseJson } from "../responses/structured/responseCheck.ts";
import { formatMs } from "../responses/usage/responseFacts.ts";
import type { SourceRange } from "./sourceNode.ts";
import { isNamedFile } from "./suite.ts";
import type { CheckType, Judge, SuiteCell, SuiteCheck } from "./suite.ts";

/** Why a response doesn't satisfy its case. */
export interface CheckFailure {
  readonly check: CheckType;
  /** Where the suite has the check. */
  readonly range: SourceRange;
  /** A sentence. */
  readonly message: string;
  /** The text that the response should have been. */
  readonly expected?: string;
}

/** What was measured for a response. Times are in milliseconds since its request was sent. */
export interface MeasuredResponse {
  readonly text: string;
  /** Undefined if nothing arrived. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
  /** Undefined if the tokens or their price aren't known. */
  readonly cost?: Cost;
}

/** Port: checks that could take forever, run where they can be ended. Never rejects. */
export interface TextValidator extends SchemaValidator {
  /** Whether the text contains a match of the regular expression: `valid` if it does, `invalid` if not. */
  matches(pattern: string, flags: string, text: string): Promise<SchemaVerdict>;
}

interface CheckContext {
  readonly validator: TextValidator;
  readonly locale: string | undefined;
  /** Accepted responses are stored in this form, so a response has to be compared in the same form. */
  redact(text: string): string;
  /** Sends the prompt to the model that judges, and resolves with its response. */
  ask(model: string, prompt: string, schema: JsonObject): Promise<string>;
}

/** Applies the checks of the case in their order. Rejects if a judge can't be asked. */
export async function checkCell(
  cell: SuiteCell,
  response: MeasuredResponse,
  context: CheckContext,
): Promise<readonly CheckFailure[]> {
  const failures: CheckFailure[] = [];
  for (const check of cell.checks) {
    const message = await failureOf(check, cell, response, context);
    if (message === undefined) continue;
    const expected = check.type === "equals" ? check.text : cell.accepted;
    const shown = expected === undefined || !isAboutText(check.type) ? {} : { expected };
    failures.push({ check: check.type, range: check.range, message, ...shown });
  }
  const isMissing = cell.checks.length === 0 && response.text.trim() === "";
  const { start, end } = cell.test.range;
  return isMissing
    ? [{ check: "contains", range: { start, end }, message: t("The response is empty.") }]
    : failures;
}

function isAboutText(type: CheckType): boolean {
  return type !== "maxCost" && type !== "maxFirstTokenMs" && type !== "maxTotalMs";
}

/** A sentence; undefined if the response satisfies the check. */
async function failureOf(
  check: SuiteCheck,
  cell: SuiteCell,
  response: MeasuredResponse,
  context: CheckContext,
): Promise<string | undefined> {
  const { text } = response;
  switch (check.type) {
    case "contains":
      return has(text, check) ? undefined : t("The response doesn't contain “{0}”.", short(check.text));
    case "notContains":
      return has(text, check) ? t("The response contains “{0}”.", short(check.text)) : undefined;
    case "equals":
      return fold(text.trim(), check) === fold(check.text.trim(), check)
        ? undefined
        : t("The response isn't the expected text.");
    case "matches":
    case "notMatches":
      return patternFailure(check, await context.validator.matches(check.pattern, check.flags, text));
    case "jsonSchema":
      return schemaFailure(check.schema, text, context.validator);
    case "maxFirstTokenMs":
      return timeFailure(check, response.firstTokenMs, context.locale);
    case "maxTotalMs":
      return timeFailure(check, response.totalMs, context.locale);
    case "maxCost":
      return costFailure(check, response.cost, context.locale);
    case "judge":
      return judgeFailure(check.judge, cell, text, context);
    case "accepted":
      if (cell.accepted === undefined)
        return t("There is no accepted response yet. Accept this one to compare later responses with it.");
      return context.redact(text).trim() === context.redact(cell.accepted).trim()
        ? undefined
        : t("The response differs from the accepted one.");
    default:
      return assertNever(check);
  }
}

interface TextCheck {
  readonly text: string;
  readonly ignoreCase: boolean;
}

function has(text: string, check: TextCheck): boolean {
  return fold(text, check).includes(fold(check.text, check));
}

function fold(text: string, { ignoreCase }: TextCheck): string {
  return ignoreCase ? text.toLowerCase() : text;
}

function patternFailure(
  { type, pattern }: SuiteCheck & { readonly type: "matches" | "notMatches" },
  verdict: SchemaVerdict,
): string | undefined {
  switch (verdict.state) {
    case "valid":
      return type === "matches" ? undefined : t("The response matches {0}.", short(pattern));
    case "invalid":
      return type === "notMatches" ? undefined : t("The response doesn't match {0}.", short(pattern));
    case "badSchema":
      return t("The regular expression can't be used: {0}", verdict.message);
    case "tooLong":
      return t("The regular expression {0} took too long and was stopped.", short(pattern));
  }
}

async function schemaFailure(
  schema: (SuiteCheck & { readonly type: "jsonSchema" })["schema"],
  text: string,
  validator: SchemaValidator,
): Promise<string | undefined> {
  if (isNamedFile(schema)) return t("The schema {0} wasn't read.", schema.path);
  const json = responseJson(text);
  if (json.state === "notJson") return t("The response isn't valid JSON: {0}", json.message);
  return describe(describeVerdict(await validator.validate(schema, json.json)));
}

function describe(check: ResponseCheck): string | undefined {
  if (check.state === "valid") return undefined;
  if (check.state !== "invalid") return check.message;
  const lines = check.problems.slice(0, 20).map(({ path, message }) => `${path || "/"}: ${message}`);
  return t("The response doesn't match the JSON Schema: {0}", lines.join("; "));
}

function timeFailure(
  { type, ms }: SuiteCheck & { readonly type: "maxFirstTokenMs" | "maxTotalMs" },
  taken: number | undefined,
  locale: string | undefined,
): string | undefined {
  if (taken === undefined) return t("No token arrived.");
  if (taken <= ms) return undefined;
  const [took, allowed] = [formatMs(taken, locale), formatMs(ms, locale)];
  return type === "maxFirstTokenMs"
    ? t("The first token took {0}, but the limit is {1}.", took, allowed)
    : t("The response took {0}, but the limit is {1}.", took, allowed);
}

function costFailure(
  { amount, currency }: SuiteCheck & { readonly type: "maxCost" },
  cost: Cost | undefined,
  locale: string | undefined,
): string | undefined {
  if (cost === undefined)
    return t("The cost isn't known: the server reported no tokens, or the model has no price.");
  if (cost.currency !== currency)
    return t("The cost is in {0}, but the limit is in {1}.", cost.currency, currency);
  if (cost.amount <= amount) return undefined;
  const [spent, allowed] = [formatCost(cost, locale), formatCost({ amount, currency }, locale)];
  return t("The response cost {0}, but the limit is {1}.", spent, allowed);
}

async function judgeFailure(
  judge: Judge,
  { model, test, accepted = "" }: SuiteCell,
  response: string,
  { validator, ask }: CheckContext,
): Promise<string | undefined> {
  const { criterion, schema, minScore } = judge;
  const prompt = test.messages.map(({ text }) => text).join("\n\n");
  const values: Readonly<Record<string, string>> = { criterion, prompt, response, accepted };
  const filled = judge.prompt.replace(
    /\{\{(criterion|prompt|response|accepted)\}\}/g,
    (whole, name: string) => values[name] ?? whole,
  );
  const json = responseJson(await ask(judge.model ?? model, filled, schema));
  if (json.state === "notJson") return t("The judge's verdict isn't valid JSON: {0}", json.message);
  const check = describe(describeVerdict(await validator.validate(schema, json.json)));
  if (check !== undefined) return t("The judge's verdict can't be used. {0}", check);
  const verdict = isRecord(json.value) ? json.value : {};
  const { pass, score, reason } = verdict;
  const why = typeof reason === "string" ? short(reason, 500) : "";
  if (minScore === undefined)
    return pass === true ? undefined : t("The judge rejected the response: {0}", why || criterion);
  if (typeof score !== "number") return t("The judge's verdict has no score.");
  return score >= minScore
    ? undefined
    : t(
        "The judge scored the response {0}, but at least {1} is required: {2}",
        String(score),
        String(minScore),
        why || criterion,
      );
}

function short(text: string, longest = 200): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

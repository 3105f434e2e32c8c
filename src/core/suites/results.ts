import { isRecord, numberField, parseJson, stringField } from "../kernel/json.ts";
import type { CheckFailure } from "./checkCell.ts";
import { isCheckType } from "./parseCheck.ts";
import type { Usage } from "../conversation/completion.ts";
import type { Cost } from "../conversation/prices.ts";

/** How a request ended. An `error` isn't a property of the response, so the next run tries the request again. */
export type CellOutcome = "passed" | "failed" | "error";

/** What one request of a suite led to. It is stored under its key, so that an unchanged request isn't sent again. */
export interface CellResult {
  readonly key: string;
  readonly outcome: CellOutcome;
  readonly failures: readonly CheckFailure[];
  /** A sentence; only for an `error`. */
  readonly error?: string;
  /** The received part of the response. */
  readonly response: string;
  /** In milliseconds since the request was sent. */
  readonly firstTokenMs?: number;
  readonly totalMs: number;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

const outcomes: readonly CellOutcome[] = ["passed", "failed", "error"];

/**
 * Results as lines of JSON, one for each request: a run that was killed leaves at most an incomplete last line. The
 * latest line of a key counts.
 */
export function formatResult(result: CellResult, redact: (text: string) => string): string {
  const { error, failures } = result;
  const clean = {
    ...result,
    response: redact(result.response),
    failures: failures.map((failure) => ({
      ...failure,
      message: redact(failure.message),
      ...(failure.expected === undefined ? {} : { expected: redact(failure.expected) }),
    })),
    ...(error === undefined ? {} : { error: redact(error) }),
  };
  return `${JSON.stringify(clean)}\n`;
}

/** The results that a later run doesn't have to repeat, by key. Errors are repeated, and so is what can't be read. */
export function parseResults(text: string): ReadonlyMap<string, CellResult> {
  const results = new Map<string, CellResult>();
  for (const line of text.split("\n")) {
    const result = parseResult(parseJson(line));
    if (result === undefined) continue;
    if (result.outcome === "error") results.delete(result.key);
    else results.set(result.key, result);
  }
  return results;
}

function parseResult(value: unknown): CellResult | undefined {
  if (!isRecord(value)) return undefined;
  const [key, response] = [stringField(value, "key"), stringField(value, "response")];
  const outcome = outcomes.find((known) => known === value["outcome"]);
  const [totalMs, firstTokenMs] = [numberField(value, "totalMs"), numberField(value, "firstTokenMs")];
  const failures = Array.isArray(value["failures"]) ? value["failures"].flatMap(parseFailure) : [];
  if (key === undefined || response === undefined || outcome === undefined || totalMs === undefined)
    return undefined;
  const times = { totalMs, ...(firstTokenMs === undefined ? {} : { firstTokenMs }) };
  return { key, outcome, failures, response, ...times };
}

function parseFailure(value: unknown): readonly CheckFailure[] {
  if (!isRecord(value) || !isRecord(value["range"])) return [];
  const [check, message, expected] = ["check", "message", "expected"].map((name) => stringField(value, name));
  const [start, end] = [numberField(value["range"], "start"), numberField(value["range"], "end")];
  if (check === undefined || !isCheckType(check) || message === undefined) return [];
  if (start === undefined || end === undefined) return [];
  return [{ check, message, range: { start, end }, ...(expected === undefined ? {} : { expected }) }];
}

/** A response that a person has accepted for a case with a model and a preset. */
export interface AcceptedResponse {
  readonly case: string;
  readonly model: string;
  /** The name of the preset; empty if it has none. */
  readonly preset: string;
  readonly response: string;
}

/** The accepted responses of a suite, in a file next to it. Unreadable entries are left out. */
export class AcceptedResponses {
  readonly #entries: ReadonlyMap<string, AcceptedResponse>;

  private constructor(entries: ReadonlyMap<string, AcceptedResponse>) {
    this.#entries = entries;
  }

  /** Undefined if the text doesn't have this format. An empty text contains no responses. */
  static parse(text: string): AcceptedResponses | undefined {
    if (text.trim() === "") return new AcceptedResponses(new Map());
    const value = parseJson(text);
    if (!isRecord(value) || !Array.isArray(value["responses"])) return undefined;
    const entries = value["responses"].flatMap(parseAccepted);
    return new AcceptedResponses(new Map(entries.map((entry) => [keyOf(entry), entry])));
  }

  /** The accepted response; undefined if there is none. */
  find(name: string, model: string, preset: string): string | undefined {
    return this.#entries.get(keyOf({ case: name, model, preset }))?.response;
  }

  /** With these responses in place of earlier ones. */
  with(responses: readonly AcceptedResponse[]): AcceptedResponses {
    return new AcceptedResponses(
      new Map([...this.#entries, ...responses.map((entry) => [keyOf(entry), entry] as const)]),
    );
  }

  /** Sorted, so that a change to one response changes only one place in the file. */
  format(): string {
    const sorted = [...this.#entries].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return `${JSON.stringify({ version: 1, responses: sorted.map(([, entry]) => entry) }, undefined, 2)}\n`;
  }
}

function keyOf(entry: Pick<AcceptedResponse, "case" | "model" | "preset">): string {
  return JSON.stringify([entry.case, entry.model, entry.preset]);
}

function parseAccepted(value: unknown): readonly AcceptedResponse[] {
  if (!isRecord(value)) return [];
  const [name, model, response] = ["case", "model", "response"].map((field) => stringField(value, field));
  if (name === undefined || model === undefined || response === undefined) return [];
  return [{ case: name, model, preset: stringField(value, "preset") ?? "", response }];
}

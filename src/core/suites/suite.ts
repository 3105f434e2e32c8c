import type { CompletionMessage, CompletionRequest, ContentPart, Role } from "../conversation/completion.ts";
import { costOf, findPrice, sumCosts } from "../conversation/prices.ts";
import type { Cost, Price, PriceTable } from "../conversation/prices.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { NamedFile, SourceRange } from "./sourceNode.ts";

/** A parsed `*.prompts.yaml` file. Variables are replaced, and what the suite specifies is part of its cases. */
export interface Suite {
  /** The profile to run against, unless another one is chosen. */
  readonly profile?: string;
  /** Maximum number of simultaneous requests. */
  readonly concurrency: number;
  readonly cases: readonly SuiteCase[];
}

/** Messages, and what the response to them must satisfy. They are sent once for each model with each preset. */
export interface SuiteCase {
  /** Unique in its suite. */
  readonly name: string;
  /** The position of the case in the file. */
  readonly range: SourceRange;
  /** Models to run it with; empty means the default model. */
  readonly models: readonly string[];
  readonly presets: readonly SuitePreset[];
  readonly messages: readonly SuiteMessage[];
  readonly checks: readonly SuiteCheck[];
}

/** A named system prompt with parameters; the only, unnamed one has an empty name. */
export interface SuitePreset {
  readonly name: string;
  readonly system?: string;
  readonly parameters: JsonObject;
}

/** A message of a case. Its attachments are files, named relative to the suite. */
export interface SuiteMessage {
  readonly role: Exclude<Role, "tool">;
  readonly text: string;
  readonly attachments: readonly NamedFile[];
}

/** What a response must satisfy. `range` is where the suite specifies it. */
export type SuiteCheck = { readonly range: SourceRange } & CheckFacts;

/** What a response must satisfy, by the key of the check. */
export type CheckFacts =
  | {
      readonly type: "contains" | "notContains" | "equals";
      readonly text: string;
      readonly ignoreCase: boolean;
    }
  | { readonly type: "matches" | "notMatches"; readonly pattern: string; readonly flags: string }
  | { readonly type: "jsonSchema"; readonly schema: JsonObject | boolean | NamedFile }
  /** Milliseconds from the moment when the request was sent. */
  | { readonly type: "maxFirstTokenMs" | "maxTotalMs"; readonly ms: number }
  | { readonly type: "maxCost"; readonly amount: number; readonly currency: string }
  | { readonly type: "judge"; readonly judge: Judge }
  /** Equal to the accepted response, ignoring leading and trailing whitespace. */
  | { readonly type: "accepted" };

/** The key of a check in the file of a suite. */
export type CheckType = CheckFacts["type"];

/** A model that assesses a response. */
export interface Judge {
  /** The model that is being tested, if absent. */
  readonly model?: string;
  /** What the response must satisfy, in words. */
  readonly criterion: string;
  /** `{{criterion}}`, `{{prompt}}`, `{{response}}` and `{{accepted}}` are replaced. */
  readonly prompt: string;
  /** JSON Schema of the verdict, an object with `pass` or `score`. */
  readonly schema: JsonObject;
  /** The lowest `score` that passes; without it, `pass` decides. */
  readonly minScore?: number;
}

/** One request that a run sends: a case with a model and a preset. */
export interface SuiteCell {
  readonly test: SuiteCase;
  readonly model: string;
  readonly preset: SuitePreset;
  /**
   * A digest of everything that the case's results depend on: the same key means the same request, checks, files and
   * address.
   */
  readonly key: string;
  readonly request: CompletionRequest;
  /** The checks, with the files they name replaced by their content. */
  readonly checks: readonly SuiteCheck[];
  /** The response that was accepted for this case, model and preset. */
  readonly accepted?: string;
}

/** Files of a suite by path: a part of a message, or the schema that the file contains. */
export interface SuiteFiles {
  part(file: NamedFile): ContentPart;
  /** The JSON Schema in the file. */
  schema(file: NamedFile): JsonObject | boolean;
}

/** Everything besides the suite itself that the requests of a run depend on. */
export interface CellContext {
  readonly files: SuiteFiles;
  /** The address and name of what the requests are sent to: other results don't count. */
  readonly target: string;
  /** Sent with every request, unless its parameters contain one. */
  readonly seed?: number;
  /** The response that the user has accepted for this case; undefined if there is none. */
  accepted(name: string, model: string, preset: string): string | undefined;
  /** A cost check is repeated when the price has changed. */
  priceOf(model: string): Price | undefined;
  /** A digest that is the same on every machine. */
  hash(text: string): string;
}

/** The requests of a case for these models. A case without checks is compared with its accepted response. */
export function cellsOf(
  test: SuiteCase,
  models: readonly string[],
  presets: readonly SuitePreset[],
  context: CellContext,
): readonly SuiteCell[] {
  const own = test.checks.map((check) =>
    check.type === "jsonSchema" ? { ...check, schema: schemaOf(check.schema, context.files) } : check,
  );
  const messages = test.messages.map((message) => completionMessage(message, context.files));
  return models.flatMap((model) =>
    presets.map((preset) => {
      const request = createRequest(model, preset, messages, context.seed);
      const accepted = context.accepted(test.name, model, preset.name);
      const isCompared = own.length === 0 && accepted !== undefined;
      const checks = isCompared ? [{ type: "accepted", range: test.range } as const] : own;
      const facts = checks.map((check) => ({ ...check, range: undefined }));
      // Only these checks depend on it.
      const isUsed = checks.some(({ type }) => type === "accepted" || type === "judge");
      const compared = isUsed ? (accepted ?? null) : null;
      const price = checks.some(({ type }) => type === "maxCost") ? [context.priceOf(model) ?? null] : [];
      const key = context.hash(
        JSON.stringify([context.target, test.name, preset.name, request, facts, compared, ...price]),
      );
      return { test, model, preset, key, request, checks, ...(accepted === undefined ? {} : { accepted }) };
    }),
  );
}

/** Whether a check's schema is in a file of its own. */
export function isNamedFile(value: JsonObject | boolean | NamedFile): value is NamedFile {
  return typeof value === "object" && typeof value["path"] === "string" && typeof value["range"] === "object";
}

/** All files that the cases name, each path once. */
export function filesOf(cases: readonly SuiteCase[]): {
  readonly attachments: readonly NamedFile[];
  readonly schemas: readonly NamedFile[];
} {
  const attachments = cases.flatMap(({ messages }) => messages.flatMap((message) => message.attachments));
  const schemas = cases.flatMap(({ checks }) =>
    checks.flatMap((check) =>
      check.type === "jsonSchema" && isNamedFile(check.schema) ? [check.schema] : [],
    ),
  );
  return { attachments: once(attachments), schemas: once(schemas) };
}

function once(files: readonly NamedFile[]): readonly NamedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function schemaOf(schema: JsonObject | boolean | NamedFile, files: SuiteFiles): JsonObject | boolean {
  return isNamedFile(schema) ? files.schema(schema) : schema;
}

function completionMessage({ role, text, attachments }: SuiteMessage, files: SuiteFiles): CompletionMessage {
  if (attachments.length === 0) return { role, content: text };
  return { role, content: [{ type: "text", text }, ...attachments.map((file) => files.part(file))] };
}

function createRequest(
  model: string,
  { system, parameters: { max_tokens: maxTokens, ...parameters } }: SuitePreset,
  messages: readonly CompletionMessage[],
  seed: number | undefined,
): CompletionRequest {
  const all = { ...(seed === undefined ? {} : { seed }), ...parameters };
  return {
    model,
    stream: true,
    messages: [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...messages],
    ...(typeof maxTokens === "number" ? { maxTokens } : {}),
    ...(Object.keys(all).length === 0 ? {} : { parameters: all }),
  };
}

/** What is shown for a case with a model and a preset. */
export function cellLabel(model: string, preset: SuitePreset): string {
  return preset.name === "" ? model : `${model} · ${preset.name}`;
}

/** What a run is going to send. */
export interface RunEstimate {
  /** Without the requests of judges. */
  readonly requests: number;
  /** Requests to models that judge. */
  readonly judgments: number;
  /** One sum per currency; without the requests of judges. */
  readonly costs: readonly Cost[];
  /** Requests to models without a price. */
  readonly unpriced: number;
}

/** UTF-16 units per token, and tokens of a response whose length isn't limited. */
const [unitsPerToken, usualOutput] = [4, 500];

/** A rough estimate of the cost of the cells. */
export function estimateRun(cells: readonly SuiteCell[], prices: PriceTable): RunEstimate {
  const costs = cells.map(({ model, request }) => {
    const price = findPrice(model, prices);
    const promptTokens = Math.ceil(JSON.stringify(request.messages).length / unitsPerToken);
    const completionTokens = request.maxTokens ?? usualOutput;
    return price && costOf({ promptTokens, completionTokens }, price);
  });
  const known = costs.filter((cost) => cost !== undefined);
  const judges = cells.map(({ checks }) => checks.filter(({ type }) => type === "judge").length);
  return {
    requests: cells.length,
    judgments: judges.reduce((sum, count) => sum + count, 0),
    costs: sumCosts(known),
    unpriced: costs.length - known.length,
  };
}

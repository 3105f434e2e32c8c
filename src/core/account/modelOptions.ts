import { t } from "@vscode/l10n";
import { isRecord } from "../kernel/json.ts";

/** How requests to one model of a profile are sent. */
export interface ModelOptions {
  /** Whether responses are streamed; absent means yes. */
  readonly stream?: boolean;
  /** The upper bound for the tokens of a response, unless the chat settings contain one. */
  readonly maxOutputTokens?: number;
  /** The role of the system prompt; absent means `system`. */
  readonly systemRole?: SystemRole;
}

const systemRoles = ["system", "developer"] as const;

/** The role that system prompts are sent with: `developer` is what OpenAI's reasoning models expect. */
export type SystemRole = (typeof systemRoles)[number];

/** The common values of `reasoning_effort`; the service decides which ones a model accepts. */
export const reasoningEfforts: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** By model name. The options of `*` apply to all models that don't have their own. */
export type ModelOptionsTable = Readonly<Record<string, ModelOptions>>;

/** The options of the model, each from its own entry or from that of `*`. */
export function optionsOfModel(table: ModelOptionsTable | undefined, model: string): ModelOptions {
  const own = table !== undefined && Object.hasOwn(table, model) ? table[model] : undefined;
  return { ...table?.["*"], ...own };
}

/**
 * Parses the option `models` of a profile. Invalid values are reported as clauses without a period and ignored.
 */
export function parseModelOptions(
  value: unknown,
  report: (problem: string) => void,
): ModelOptionsTable | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    report(t("“{0}” must be an object with a model name for each entry.", "models"));
    return undefined;
  }
  const entries = Object.entries(value).map(
    ([model, entry]) => [model, parseEntry(model, entry, report)] as const,
  );
  return Object.fromEntries(entries);
}

function parseEntry(model: string, entry: unknown, report: (problem: string) => void): ModelOptions {
  const ignore = (option: string): void =>
    report(t("“{0}” of the model “{1}” is invalid and is ignored.", option, model));
  if (!isRecord(entry)) {
    ignore("models");
    return {};
  }
  const { stream, maxOutputTokens, systemRole } = entry;
  const role = systemRoles.find((known) => known === systemRole);
  const isLimit =
    typeof maxOutputTokens === "number" && Number.isInteger(maxOutputTokens) && maxOutputTokens > 0;
  if (stream !== undefined && typeof stream !== "boolean") ignore("stream");
  if (maxOutputTokens !== undefined && !isLimit) ignore("maxOutputTokens");
  if (systemRole !== undefined && role === undefined) ignore("systemRole");
  return {
    ...(typeof stream === "boolean" ? { stream } : {}),
    ...(isLimit ? { maxOutputTokens } : {}),
    ...(role === undefined ? {} : { systemRole: role }),
  };
}

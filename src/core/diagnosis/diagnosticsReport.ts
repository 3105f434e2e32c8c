import { isRecord } from "../kernel/json.ts";

/** A setting as declared in package.json. */
interface DeclaredSetting {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The facts that "Copy Diagnostics" collects; `value` is undefined for a setting that has its default. */
interface DiagnosticsFacts {
  readonly environment: readonly string[];
  readonly settings: readonly { readonly setting: DeclaredSetting; readonly value: unknown }[];
  /** The last lines of the log, oldest first. */
  readonly log: readonly string[];
}

/** Our settings, from the sections that a manifest contributes. */
export function declaredSettings(manifest: unknown): readonly DeclaredSetting[] {
  const contributes = isRecord(manifest) ? manifest["contributes"] : undefined;
  const sections = isRecord(contributes) ? contributes["configuration"] : undefined;
  const properties = (Array.isArray(sections) ? sections : [sections])
    .filter(isRecord)
    .map((section) => section["properties"])
    .filter(isRecord);
  return properties.flatMap((section) =>
    Object.entries(section).flatMap(([name, schema]) => (isRecord(schema) ? [{ name, schema }] : [])),
  );
}

/**
 * The report as Markdown, in English because it is read by the people who provide support. It contains only what is on
 * an allow-list: numbers, switches and values from closed lists. Free text, headers, parameters and paths are named but
 * never shown.
 */
export function diagnosticsReport({ environment, settings, log }: DiagnosticsFacts): string {
  const changed = settings.filter(({ value }) => value !== undefined);
  const lines = changed.map(({ setting, value }) => `${setting.name}: ${describe(setting, value)}`);
  return [
    "## Inference Gateway diagnostics",
    ...environment.map((fact) => `- ${fact}`),
    "",
    "### Settings that differ from their defaults",
    fenced(lines.length === 0 ? ["(none)"] : lines),
    "",
    `### End of the log (${log.length} lines)`,
    fenced(log),
    "",
  ].join("\n");
}

/** A code fence that no line of the text can close. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.map((line) => /^`*/.exec(line.trimStart())?.[0].length ?? 0));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, ...lines, fence].join("\n");
}

function describe({ schema }: DeclaredSetting, value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isOneOf(schema, value)) return String(value);
  if (typeof value === "string") return value === "" ? "(empty)" : "(set)";
  if (Array.isArray(value)) return `(${value.length} entries)`;
  return isRecord(value) ? `(${Object.keys(value).length} entries)` : "(set)";
}

function isOneOf(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const choices: unknown = schema["enum"];
  return Array.isArray(choices) && choices.includes(value);
}

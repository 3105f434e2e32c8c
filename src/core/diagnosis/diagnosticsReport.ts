import { carrierOptions } from "../account/credentialPlaces.ts";
import { isRecord, recordsIn, stringField } from "../kernel/json.ts";
import { originOf } from "../kernel/httpAddress.ts";

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

function describe({ name, schema }: DeclaredSetting, value: unknown): string {
  if (name === "inferenceGateway.profiles") return describeProfiles(value);
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

/** Fields of a profile whose values come from closed lists. */
const plainMembers = [
  "gatewayCredential",
  ...carrierOptions,
  "signatureEncoding",
  "signatureEmptyValues",
  "allowInsecureHttp",
  "apiKeyOptional",
  "models",
  "production",
] as const;
const plainValue = /^[A-Za-z0-9]{1,20}$/;

/**
 * Describes the kinds of addresses and options that the profiles have; names and hosts belong to the user and stay
 * private.
 */
function describeProfiles(value: unknown): string {
  const profiles = recordsIn(value);
  const described = profiles.map((profile, index) => {
    const plain = plainMembers.flatMap((member) => {
      const text = String(profile[member] ?? "");
      return plainValue.test(text) ? [`${member}=${text}`] : [];
    });
    const addresses = (["inferenceBaseUrl", "gatewayUrl"] as const).flatMap((member) => {
      const url = stringField(profile, member);
      return url === undefined ? [] : [`${member}=${describeAddress(url)}`];
    });
    const counts = (["headers", "serverListQuery"] as const).flatMap((member) => {
      const map = profile[member];
      return isRecord(map) ? [`${member}=${Object.keys(map).length} entries`] : [];
    });
    return `\n  ${index + 1}: ${[...addresses, ...plain, ...counts].join(", ")}`;
  });
  return described.length === 0 ? "(none)" : described.join("");
}

/** The scheme, whether the host is this machine, and the port, which explain most failures and identify no one. */
function describeAddress(url: string): string {
  const origin = originOf(url);
  if (origin === undefined) return "(not a valid URL)";
  const [, scheme, host = "", port] = /^(https?):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
  return `${scheme}://${isLocal ? host : "(host)"}${port === undefined ? "" : `:${port}`}`;
}

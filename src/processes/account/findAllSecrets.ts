import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { scanSecrets } from "../../core/account/secrets/scanSecrets.ts";
import type { Scrutiny, SecretSpan } from "../../core/account/secrets/secretValue.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
/** Names with special capitalization. */
const names: ReadonlyMap<string, string> = new Map([
  ...["Anthropic", "AWS", "Databricks", "Docker", "Figma", "GitHub", "GitLab", "Grafana", "Groq"].map(
    ownName,
  ),
  ...["HashiCorp", "Linear", "MongoDB", "MySQL", "Notion", "npm", "OAuth", "OpenAI", "PostgreSQL"].map(
    ownName,
  ),
  ...["SendGrid", "Shopify", "Slack", "Vercel", "AI", "API", "ID", "JSON"].map(ownName),
  ["huggingface", "Hugging Face"],
  ["npmrc", ".npmrc"],
  ["ops", "1Password"],
]);

const word = /MongoDB|MySQL|PostgreSQL|[A-Z]+(?=[A-Z][a-z]|_|$)|[A-Z]?[a-z]+|[A-Z]+/g;

/**
 * A readable name for the secret that a secretlint rule finds, for example for `AWSSecretAccessKey` and `GITHUB_TOKEN`.
 */
function secretKind(messageId: string): string {
  const words = (messageId.match(word) ?? [messageId]).map((part) => {
    const lower = part.toLowerCase();
    return names.get(lower) ?? lower;
  });
  const [first = "", ...others] = words;
  const isName = [...names.values()].includes(first);
  return [isName ? first : first.slice(0, 1).toUpperCase() + first.slice(1), ...others].join(" ");
}

function ownName(name: string): readonly [string, string] {
  return [name.toLowerCase(), name];
}

// Every scan would leave entries in the process's list of performance marks, and would search all earlier ones.
secretLintProfiler.mark = () => undefined;

const config = {
  rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }],
};

/** Finds keys, tokens and passwords with the rules of secretlint. */
export async function findByRules(text: string): Promise<readonly SecretFinding[]> {
  if (text.trim() === "") return [];
  const source = { content: text, filePath: "message.txt", ext: ".txt", contentType: "text" } as const;
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  return messages.flatMap(({ messageId, range, data }) => {
    const value = secretOf(text, data) ?? text.slice(...range);
    return value === "" ? [] : [{ kind: secretKind(messageId), value }];
  });
}

/** The rules return the secret itself in addition to its position, which isn't always exact. */
function secretOf(text: string, data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  return Object.values(data)
    .filter((value): value is string => typeof value === "string" && value.length > 5)
    .filter((value) => text.includes(value))
    .toSorted((left, right) => right.length - left.length)[0];
}

/** UTF-16 code units that the rules of secretlint check at once, and the overlap of two such pieces. */
const pieceLength = 16_000;
const overlap = 4_000;

/**
 * Finds secrets with the rules of secretlint and our own, in slices between which the extension host can do other work.
 * The time is proportional to the length of the text.
 */
export async function findAllSecrets(text: string, pause: Pause): Promise<readonly SecretFinding[]> {
  const spans = await scanInSlices(text, "careful", pause);
  const own = spans.map(({ kind, start, end }) => ({ kind, value: text.slice(start, end) }));
  const byRules: SecretFinding[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    await pause();
    byRules.push(...(await findByRules(text.slice(start, start + pieceLength))));
  }
  return [...byRules.filter((finding) => !isAddress(finding)), ...own];
}

/** The text with `mark` in place of anything that may be a secret. For text from a server that is only displayed. */
export async function hideAllSecrets(text: string, mark: string, pause: Pause): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of await scanInSlices(text, "strict", pause)) {
    parts.push(text.slice(from, start), mark);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

async function scanInSlices(text: string, scrutiny: Scrutiny, pause: Pause): Promise<readonly SecretSpan[]> {
  const scan = scanSecrets(text, scrutiny);
  let step = scan.next();
  while (step.done !== true) {
    await pause();
    step = scan.next();
  }
  return step.value;
}

/** A URL with a password. If our own rules find just the password, the rest of the URL stays readable. */
function isAddress({ value }: SecretFinding): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value);
}

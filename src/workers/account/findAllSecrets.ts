import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { setImmediate as nextTurn } from "node:timers/promises";
import { scanSecrets } from "../../core/account/secrets/scanSecrets.ts";
import type { Scrutiny, SecretSpan } from "../../core/account/secrets/secretSpan.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
/** Names that are written in a way of their own. */
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

/** What a rule of secretlint calls a secret, in words: `AWSSecretAccessKey` and `GITHUB_TOKEN` read as a person writes. */
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

const config = {
  rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }],
};

/** Finds keys, tokens and passwords by the rules of secretlint. */
export async function findByRules(text: string): Promise<readonly SecretFinding[]> {
  if (text.trim() === "") return [];
  const source = { content: text, filePath: "message.txt", ext: ".txt", contentType: "text" } as const;
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  return messages.flatMap(({ messageId, range, data }) => {
    const value = secretOf(text, data) ?? text.slice(...range);
    return value === "" ? [] : [{ kind: secretKind(messageId), value }];
  });
}

/** The rules give the secret itself besides its position, and not all of them give the position exactly. */
function secretOf(text: string, data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  return Object.values(data)
    .filter((value): value is string => typeof value === "string" && value.length > 5)
    .filter((value) => text.includes(value))
    .toSorted((left, right) => right.length - left.length)[0];
}

/** Milliseconds after which something else may run. */
const sliceMs = 8;
/** UTF-16 units that the rules of secretlint look at in one go, and what two such pieces share. */
const pieceLength = 16_000;
const overlap = 4_000;

/**
 * Finds secrets by the rules of secretlint and by our own, in slices between which the extension host does something
 * else. The time grows with the length of the text and no faster.
 */
export async function findAllSecrets(text: string): Promise<readonly SecretFinding[]> {
  const pause = createPause();
  const spans = await scanInSlices(text, "careful", pause);
  const own = spans.map(({ kind, start, end }) => ({ kind, value: text.slice(start, end) }));
  const byRules: SecretFinding[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    await pause();
    byRules.push(...(await findByRules(text.slice(start, start + pieceLength))));
  }
  return [...byRules.filter((finding) => !isAddress(finding)), ...own];
}

/** The text with `mark` in the place of whatever may be a secret: for what a server sent, which is only displayed. */
export async function hideAllSecrets(text: string, mark: string): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of await scanInSlices(text, "strict", createPause())) {
    parts.push(text.slice(from, start), mark);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

async function scanInSlices(
  text: string,
  scrutiny: Scrutiny,
  pause: () => Promise<void>,
): Promise<readonly SecretSpan[]> {
  const scan = scanSecrets(text, scrutiny);
  let step = scan.next();
  while (step.done !== true) {
    await pause();
    step = scan.next();
  }
  return step.value;
}

/** An address with its password: the rest of it stays readable where the password alone is found by our own rules. */
function isAddress({ value }: SecretFinding): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value);
}

function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
}

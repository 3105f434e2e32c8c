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
export function secretKind(messageId: string): string {
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

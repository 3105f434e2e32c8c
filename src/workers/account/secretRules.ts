import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import { secretKind } from "./secretKind.ts";

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

/** The rules tell the secret itself beside its place, and not all of them tell the place exactly. */
function secretOf(text: string, data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  return Object.values(data)
    .filter((value): value is string => typeof value === "string" && value.length > 5)
    .filter((value) => text.includes(value))
    .toSorted((left, right) => right.length - left.length)[0];
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/core/kernel/json.ts";
import { readTexts } from "./support/readTexts.ts";

/** The properties of package.json whose texts VS Code shows to users. */
const shown = new Set(
  "title shortTitle label displayName name contextualTitle contents description userDescription markdownDescription deprecationMessage altText".split(
    " ",
  ),
);
const shownLists = new Set(["enumDescriptions", "markdownEnumDescriptions", "enumItemLabels"]);

/** Every text that VS Code shows of a contribution, with the path to it. */
function findTexts(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => findTexts(item, `${path}[${index}]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${path}.${key}`;
    // Users type these names, which are the same in every language.
    if (key === "name" && path.startsWith("contributes.chatParticipants")) return [];
    if (key === "default" || key === "enum" || ofTools(path, key)) return [];
    if (typeof member === "string") return shown.has(key) ? [[place, member] as const] : [];
    if (!shownLists.has(key) || !Array.isArray(member)) return findTexts(member, place);
    return member.map((text: unknown, index) => [`${place}[${index}]`, String(text)] as const);
  });
}

/** Names and inputs of tools are read by models. */
function ofTools(path: string, key: string): boolean {
  return path.startsWith("contributes.languageModelTools[") && (key === "name" || key === "inputSchema");
}

describe("The texts in package.json", () => {
  const manifest: unknown = JSON.parse(
    readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"),
  );
  assert.ok(isRecord(manifest));
  const texts = [
    ...findTexts(manifest["contributes"], "contributes"),
    ["description", String(manifest["description"])] as const,
  ];
  // The product has the same name in every language.
  const translatable = texts.filter(([, text]) => text !== "Inference Gateway");

  it("are all keys from package.nls.json", () => {
    assert.ok(translatable.length > 100);
    assert.deepEqual(
      translatable.filter(([, text]) => !/^%[^%]+%$/.test(text)),
      [],
    );
  });

  it("are all defined in English, without unused ones", () => {
    const keys = new Set(translatable.map(([, text]) => text.slice(1, -1)));
    assert.deepEqual(Object.keys(readTexts("package.nls.json")).toSorted(), [...keys].toSorted());
  });
});

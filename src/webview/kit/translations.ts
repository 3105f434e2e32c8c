import { config } from "@vscode/l10n";
import { setDisplayLanguage, textsBySentence } from "../../core/kernel/displayLanguage.ts";

// Imported first for its side effect: the host has added the translations for the user's language to the page.
const texts = document.getElementById("translations")?.textContent ?? "";
if (texts !== "") config({ contents: textsBySentence(parseTexts(JSON.parse(texts))) });

setDisplayLanguage(document.documentElement.lang);

function parseTexts(value: unknown): Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

import { config } from "@vscode/l10n";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first for its side effect: the host has added the translations for the user's language to the page.
const texts = document.getElementById("translations")?.textContent ?? "";
if (texts !== "") config({ contents: texts });

setDisplayLanguage(document.documentElement.lang);

import { config } from "@vscode/l10n";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first for its side effect: the host has added the translations for the user's language to the page.
const bundle = document.getElementById("translations")?.textContent ?? "";
if (bundle !== "") config({ contents: bundle });

setDisplayLanguage(document.documentElement.lang);

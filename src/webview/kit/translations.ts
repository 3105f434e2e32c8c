import { config } from "@vscode/l10n";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first, and for this effect: the host has put the sentences of the user's language beside the page.
const bundle = document.getElementById("translations")?.textContent ?? "";
if (bundle !== "") config({ contents: bundle });

setDisplayLanguage(document.documentElement.lang);

import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first, and for this effect: what has no `vscode` (core, gateway, storage) says its sentences in the user's
// language too. Without a bundle for that language there is nothing to hand on, and English is what they say.
const { bundle } = vscode.l10n;
if (bundle !== undefined) config({ contents: bundle });

setDisplayLanguage(vscode.env.language);

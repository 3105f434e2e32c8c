import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first for its side effect: code without `vscode` (core, gateway, storage) also uses the user's language for
// its messages. Without a bundle for that language, the messages are in English.
const { bundle } = vscode.l10n;
if (bundle !== undefined) config({ contents: bundle });

setDisplayLanguage(vscode.env.language);

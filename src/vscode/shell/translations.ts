import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { setDisplayLanguage } from "../../core/kernel/displayLanguage.ts";

// Imported first for its side effect: code without `vscode` (core, gateway, storage) also uses the user's language for
// its messages. VS Code has no texts for English and for languages without translations: the messages are in English.
if (vscode.l10n.bundle !== undefined) config({ contents: vscode.l10n.bundle });

setDisplayLanguage(vscode.env.language);

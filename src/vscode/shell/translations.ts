import { join } from "node:path";
import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { setDisplayLanguage, textsBySentence } from "../../core/kernel/displayLanguage.ts";
import { readTranslations } from "../../storage/files/translationFile.ts";

const folder = vscode.extensions.getExtension("inference-gateway.inference-gateway")?.extensionPath ?? "";

/**
 * The user's texts by the keys of their English sentences; undefined in English, in languages without translations, and
 * if the file is missing or damaged.
 */
export const translations = readTranslations(join(folder, "dist/translations.br"), vscode.env.language);

// Imported first for its side effect: code without `vscode` (core, gateway, storage) also uses the user's language for
// its messages. Without a bundle for that language, the messages are in English.
if (translations !== undefined) config({ contents: textsBySentence(translations) });

setDisplayLanguage(vscode.env.language);

import { t } from "@vscode/l10n";
import { earlyKeysScript } from "./earlyKeys.ts";
import type { PageUris } from "./pageDocument.ts";
import { pageDocument } from "./pageDocument.ts";

/** The skeleton of the chat page. Images and audio come from the extension, or from what the page already has. */
export function chatDocument(uris: PageUris): string {
  return pageDocument(uris, {
    title: t("Chat"),
    firstScript: earlyKeysScript,
    style: "style.css",
    script: "chat.js",
    modules: ["chunk.js"],
    root: "div",
    allowed: [`img-src ${uris.source} data: blob:`, "media-src data:"],
  });
}

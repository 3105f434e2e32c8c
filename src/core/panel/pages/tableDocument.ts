import { t } from "@vscode/l10n";
import type { PageUris } from "./pageDocument.ts";
import { pageDocument } from "./pageDocument.ts";

/** The skeleton of the table of servers. */
export function tableDocument(uris: PageUris): string {
  return pageDocument(uris, {
    title: t("GPU Servers"),
    style: "serverTableStyle.css",
    script: "serverTable.js",
    root: "main",
  });
}

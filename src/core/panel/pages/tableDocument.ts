import { t } from "@vscode/l10n";
import type { PagePlace } from "./pageDocument.ts";
import { pageDocument } from "./pageDocument.ts";

/** The skeleton of the table of servers. */
export function tableDocument(place: PagePlace): string {
  return pageDocument(place, {
    title: t("GPU Servers"),
    style: "serverTableStyle.css",
    script: "serverTable.js",
    root: "main",
  });
}

import "../kit/translations.ts";
import type { ToTable } from "../../core/servers/table/tableProtocol.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { acquireTableHost } from "../servers/tableHost.ts";
import { TablePage } from "../servers/tablePage.ts";

const host = acquireTableHost();

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new TablePage(root, host);
  onHostMessage<ToTable>((message) => page.receive(message));
  window.addEventListener("focus", () => page.focus());
  keepPageKeys();
  host.post({ type: "ready", ...host.loadState() });
}

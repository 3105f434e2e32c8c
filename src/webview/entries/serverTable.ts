import "../kit/translations.ts";
import type { ToTable } from "../../core/servers/table/tableProtocol.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { acquirePageHost } from "../kit/host.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { TablePage } from "../servers/tablePage.ts";
import type { TableHost } from "../servers/tablePage.ts";

const host: TableHost = acquirePageHost();

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new TablePage(root, host);
  onHostMessage<ToTable>((message) => page.receive(message));
  window.addEventListener("focus", () => page.focus());
  keepPageKeys();
  const state = host.loadState();
  // The host parses what the page sends to it.
  host.post({ type: "ready", ...(isRecord(state) ? state : {}) });
}

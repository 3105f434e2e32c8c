import "../kit/translations.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { ToCosts } from "../../core/servers/cost/costsProtocol.ts";
import { acquirePageHost } from "../kit/host.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { CostsPage } from "../servers/costsPage.ts";
import type { CostsHost } from "../servers/costsPage.ts";

const host: CostsHost = acquirePageHost();

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new CostsPage(root, host);
  onHostMessage<ToCosts>((message) => page.receive(message));
  keepPageKeys();
  const state = host.loadState();
  // The host parses what the page sends to it.
  host.post({ type: "ready", ...(isRecord(state) ? state : {}) });
}

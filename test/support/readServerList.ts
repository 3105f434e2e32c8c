import type { FieldMapping } from "../../src/core/servers/fieldMapping.ts";
import type { ServerList } from "../../src/core/servers/server.ts";
import { extentOf } from "../../src/gateway/servers/listPages.ts";
import { readPageEnd } from "../../src/gateway/servers/paging.ts";
import type { ListPage } from "../../src/gateway/servers/listPath.ts";
import { readListPage, ServerListReader } from "../../src/gateway/servers/readServerList.ts";

const url = new URL("https://gateway.invalid");

function readPage(text: string, mapping: FieldMapping = {}): ListPage {
  const response = { statusCode: 200, headers: {}, receivedAt: 0 };
  return readListPage(text, mapping, { response, context: { kind: "gateway", method: "GET", url } });
}

/** Where the list was found: `data.list`, `Reservations[].Instances`, `items{}`; empty if the response itself is it. */
export function pathOfList(text: string): string {
  return readPage(text)
    .steps.map((step) => ("field" in step ? `.${step.field}` : step.each === "list" ? "[]" : "{}"))
    .join("")
    .replace(/^\.|\[\]$/g, "");
}

/** Reads a list that was received in one response; further pages are reported as missing. */
export function readServerList(
  text: string,
  mapping: FieldMapping = {},
  reader = new ServerListReader(),
): ServerList {
  const page = readPage(text, mapping);
  const count = page.entries.length;
  const place = { url, headers: {}, ...page, count, countSoFar: count, index: 0 };
  const steps = reader.read(page, page.entries, mapping, extentOf(readPageEnd(place, { follow: false })));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

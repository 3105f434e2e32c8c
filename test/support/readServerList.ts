import type { FieldMapping } from "../../src/core/servers/fieldMapping.ts";
import type { ServerList } from "../../src/core/servers/server.ts";
import { extentOf } from "../../src/gateway/servers/listPages.ts";
import { readPageEnd } from "../../src/gateway/servers/paging.ts";
import { readListPage, ServerListReader } from "../../src/gateway/servers/readServerList.ts";

/** Reads a list that was received in one response; further pages are reported as missing. */
export function readServerList(
  text: string,
  mapping: FieldMapping = {},
  reader = new ServerListReader(),
): ServerList {
  const url = new URL("https://gateway.invalid");
  const response = { statusCode: 200, headers: {}, receivedAt: 0 };
  const page = readListPage(text, mapping, { response, context: { kind: "gateway", method: "GET", url } });
  const count = page.entries.length;
  const place = { url, headers: {}, ...page, count, countSoFar: count, index: 0 };
  const steps = reader.read(page, page.entries, mapping, extentOf(readPageEnd(place, { follow: false })));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ServerList } from "../../core/servers/server.ts";
import type { FieldMapping, ListPaging } from "../../core/servers/fieldMapping.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import type { GatewaySenderOptions } from "../auth/gatewaySender.ts";
import { GatewaySender } from "../auth/gatewaySender.ts";
import { createServersUrl } from "../auth/gatewayRequest.ts";
import { readWholeBody } from "../http/decodeBody.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import { followPages } from "./listPages.ts";
import type { PageResponse } from "./listPages.ts";
import { readListPage, ServerListReader } from "./readServerList.ts";

/** What a list is requested and read with. */
export interface ListServersOptions {
  readonly signal: AbortSignal;
  readonly mapping?: FieldMapping;
  /** How pages are requested, if the user has set it. */
  readonly paging?: ListPaging;
  /** Remembers the previous list, so that unchanged servers stay the same objects. */
  readonly reader?: ServerListReader;
}

const maxListBytes = 256 * 1024 * 1024;

/**
 * `GET /gpu/api/v1/servers` (interface sections 4.2 and 5.2 to 5.4), which also checks the credential. Rejects with a
 * ServiceError or the signal's reason. Temporary failures aren't retried: the caller does that, if anybody.
 */
export async function requestServerList(
  sending: GatewaySenderOptions,
  { signal, mapping = {}, paging, reader = new ServerListReader() }: ListServersOptions,
): Promise<ServerList> {
  const { profile } = sending;
  const first = createServersUrl(profile.gatewayUrl);
  for (const [name, value] of Object.entries(profile.serverListQuery)) first.searchParams.set(name, value);
  // The address of each page already has the parameters of the first one.
  const sender = new GatewaySender({ ...sending, profile: { ...profile, serverListQuery: {} } });
  const request = async (url: URL): Promise<PageResponse> => {
    const answer = await sender.send({ method: "GET", url, signal });
    const text = await readWholeBody(answer.response.body, maxListBytes, () => tooLong(answer.context));
    const page = readListPage(text, mapping, answer);
    // Parsing and reading a long list are two tasks, between which others can run.
    await nextTurn();
    signal.throwIfAborted();
    return { url, headers: answer.response.headers, length: text.length, page };
  };
  const response = await request(first);
  const options = { paging, memory: reader.pages, signal, request };
  const { entries, extent } = await followPages(response, options);
  const steps = reader.read(response.page, entries, mapping, extent);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await nextTurn();
    signal.throwIfAborted();
  }
}

function tooLong({ method, url }: ErrorContext): ServiceError {
  const request = describeRequest(method, url);
  return new ServiceError({
    reason: "malformed",
    message: t(
      "The list of servers is longer than 256 MB and wasn't read. Request fewer servers with serverListQuery in the profile. ({0})",
      request,
    ),
    request,
  });
}

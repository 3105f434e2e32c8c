import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ListExtent, ServerList } from "../../core/servers/server.ts";
import { withExtent } from "../../core/servers/server.ts";
import type { FieldMapping, ListPaging } from "../../core/servers/fieldMapping.ts";
import { parseErrorText, redactSecrets } from "../errors/serverText.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { createResponseError } from "../http/errorResponse.ts";
import type { GatewayResponse, GatewaySenderOptions } from "../auth/gatewaySender.ts";
import { GatewaySender } from "../auth/gatewaySender.ts";
import { createServersUrl } from "../auth/gatewayRequest.ts";
import { readWholeBody } from "../http/decodeBody.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import type { RetryPolicy } from "../http/retry.ts";
import { defaultRetryPolicy, runWithRetries } from "../http/retry.ts";
import { readHeaderExtent } from "./listExtent.ts";
import { followPages } from "./listPages.ts";
import type { PageResponse } from "./listPages.ts";
import { ServerListReader } from "./serverListReader.ts";

/** The options of the client. The functions are called again for every attempt. */
export interface GatewayClientOptions extends GatewaySenderOptions {
  retryPolicy?(): RetryPolicy;
  random?(): number;
}

interface ListServersOptions {
  readonly signal: AbortSignal;
  /** Whether temporary failures are retried; false when a credential is being checked. */
  readonly retry: boolean;
  readonly mapping?: FieldMapping;
  /** How pages are requested, if the user has set it. */
  readonly paging?: ListPaging;
  /** Remembers the previous list, so that only changes are parsed; without it, every list is parsed completely. */
  readonly reader?: Pick<ServerListReader, "readInSlices">;
}

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.4). */
export interface GatewayClient {
  /** `GET /gpu/api/v1/servers`. Rejects with a ServiceError or the signal's reason. Also checks the credential. */
  listServers(options: ListServersOptions): Promise<ServerList>;
}

/** Readers whose last list had several pages. */
const readersOfPages = new WeakSet<object>();

const maxListBytes = 256 * 1024 * 1024;

/** A client that requests server lists from a gateway. */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  return new HttpGatewayClient(options);
}

class HttpGatewayClient implements GatewayClient {
  readonly #options: GatewayClientOptions;
  readonly #sender: GatewaySender;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
    this.#sender = new GatewaySender(options);
  }

  async listServers(list: ListServersOptions): Promise<ServerList> {
    const policy = this.#options.retryPolicy?.() ?? defaultRetryPolicy;
    const { random } = this.#options;
    return runWithRetries(() => this.#listOnce(list), {
      policy: list.retry ? policy : { ...policy, maxAttempts: 1 },
      signal: list.signal,
      ...(random === undefined ? {} : { random }),
    });
  }

  async #listOnce(options: ListServersOptions): Promise<ServerList> {
    const { signal, mapping, paging, reader = new ServerListReader() } = options;
    const url = createServersUrl(this.#options.profile.gatewayUrl);
    const { answer, text } = await this.#requestPage(this.#sender, url, signal);
    // The reader remembers all pages as one list, so the first page alone would only confuse it.
    const firstReader = readersOfPages.has(reader) ? new ServerListReader() : reader;
    const list = await readList(() => firstReader.readInSlices(text, mapping, signal), text, answer);
    const first = withExtent(list, readHeaderExtent(answer.response.headers, list.servers.length));
    if (first.hasMore !== true && paging?.parameter === undefined) return first;
    return (await this.#listPages(first, { url, answer, text }, { ...options, reader })) ?? first;
  }

  async #requestPage(sender: GatewaySender, url: URL, signal: AbortSignal) {
    const answer = await sender.send({ method: "GET", url, signal });
    const text = await readWholeBody(answer.response.body, maxListBytes, () => tooLong(answer.context));
    return { answer, text };
  }

  /** All pages as one list; undefined if there is only one. */
  async #listPages(
    { total }: ServerList,
    { url, answer, text }: { readonly url: URL; readonly answer: GatewayResponse; readonly text: string },
    {
      signal,
      mapping = {},
      paging,
      reader,
    }: ListServersOptions & Required<Pick<ListServersOptions, "reader">>,
  ): Promise<ServerList | undefined> {
    const { profile } = this.#options;
    const started = new URL(url);
    for (const [name, value] of Object.entries(profile.serverListQuery))
      started.searchParams.set(name, value);
    // The address of each page already has the parameters of the first one.
    const sender = new GatewaySender({ ...this.#options, profile: { ...profile, serverListQuery: {} } });
    const request = async (next: URL): Promise<PageResponse> => {
      const page = await this.#requestPage(sender, next, signal);
      return { url: next, headers: page.answer.response.headers, text: page.text };
    };
    const first = { url: started, headers: answer.response.headers, text };
    const now = (): number => performance.now();
    const joined = await followPages(first, { mapping, paging, signal, now, request });
    if (joined === undefined) return undefined;
    readersOfPages.add(reader);
    const whole = await reader.readInSlices(joined.text, mapping, signal);
    const { incomplete } = joined;
    const beyond: ListExtent =
      incomplete === undefined
        ? {}
        : {
            hasMore: true,
            incomplete,
            ...(total === undefined || total <= joined.count ? {} : { total }),
          };
    return withExtent(whole, beyond);
  }
}

/**
 * Parses the list. If the response isn't one, what the server says instead (an error with status 200, a web page) takes
 * precedence.
 */
async function readList(
  read: () => Promise<ServerList>,
  text: string,
  { response, context }: GatewayResponse,
): Promise<ServerList> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const said = createResponseError(response, parseErrorText(text), text, context);
    const isExplained = said.reason !== "malformed" || said.facts.serverMessage !== undefined;
    const request = describeRequest(context.method, context.url);
    const message = redactSecrets(error.message, context.secrets ?? []);
    const { statusCode } = response;
    throw isExplained ? said : new ServiceError({ ...error.facts, message, statusCode, request });
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

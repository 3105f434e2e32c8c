import { t } from "@vscode/l10n";
import type { RetryNotice } from "../../core/conversation/completion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ListExtent, ServerList } from "../../core/servers/server.ts";
import { withExtent } from "../../core/servers/server.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";
import { parseErrorText, redactSecrets } from "../errors/serverText.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { createResponseError } from "../http/errorResponse.ts";
import type { GatewayResponse, GatewaySenderOptions } from "../auth/gatewaySender.ts";
import { GatewaySender } from "../auth/gatewaySender.ts";
import { createServersUrl } from "../auth/gatewayUrl.ts";
import { readWholeBody } from "../http/bodyText.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import type { RetryPolicy } from "../http/retry.ts";
import { defaultRetryPolicy, runWithRetries } from "../http/retry.ts";
import { readHeaderExtent } from "./listExtent.ts";
import { ServerListReader } from "./serverListReader.ts";

/** The options of the client. The functions are called again for every attempt. */
export interface GatewayClientOptions extends GatewaySenderOptions {
  retryPolicy?(): RetryPolicy;
  random?(): number;
}

export interface ListServersOptions {
  readonly signal: AbortSignal;
  /** Whether temporary failures are retried; false when a credential is being checked. */
  readonly retry: boolean;
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly mapping?: FieldMapping;
  /** Remembers the previous list, so that only changes are parsed; without it, every list is parsed completely. */
  readonly reader?: Pick<ServerListReader, "readInSlices">;
}

/** A list of servers as the gateway returned it. */
export interface ReceivedList {
  readonly list: ServerList;
  /** The raw response that the list was parsed from. */
  readonly text: string;
  /** What the headers report about servers beyond the list, which has taken it into account. */
  readonly extent: ListExtent;
}

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.4). */
export interface GatewayClient {
  /** `GET /gpu/api/v1/servers`. Rejects with a ServiceError or the signal's reason. Also checks the credential. */
  listServers(options: ListServersOptions): Promise<ReceivedList>;
}

const maxListBytes = 256 * 1024 * 1024;

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

  async listServers(list: ListServersOptions): Promise<ReceivedList> {
    const policy = this.#options.retryPolicy?.() ?? defaultRetryPolicy;
    const { random } = this.#options;
    return runWithRetries(() => this.#listOnce(list), {
      policy: list.retry ? policy : { ...policy, maxAttempts: 1 },
      signal: list.signal,
      ...(random === undefined ? {} : { random }),
      ...(list.onRetry === undefined ? {} : { onRetry: list.onRetry }),
    });
  }

  async #listOnce({ signal, mapping, reader }: ListServersOptions): Promise<ReceivedList> {
    const url = createServersUrl(this.#options.profile.gatewayUrl);
    const answer = await this.#sender.send({ method: "GET", url, signal });
    const text = await readWholeBody(answer.response.body, maxListBytes, () => tooLong(answer.context));
    const read = (): Promise<ServerList> =>
      (reader ?? new ServerListReader()).readInSlices(text, mapping, signal);
    const list = await readList(read, text, answer);
    const extent = readHeaderExtent(answer.response.headers, list.servers.length);
    return { list: withExtent(list, extent), text, extent };
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

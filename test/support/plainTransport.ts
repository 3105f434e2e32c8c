import { Agent, errors, request } from "undici";
import { ServiceError } from "../../src/core/errors.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../src/gateway/http/transport.ts";

/** The smallest transport that keeps the port's promises: undici as it is, for the tests of what stands above it. */
export class PlainTransport implements Transport {
  readonly requests: HttpRequest[] = [];
  readonly #agent = new Agent();

  async request(httpRequest: HttpRequest): Promise<HttpResponse> {
    this.requests.push(httpRequest);
    const sentAt = Date.now();
    const { method, url, headers, body, signal, timeoutMs } = httpRequest;
    try {
      const response = await request(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        dispatcher: this.#agent,
      });
      const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      return {
        statusCode: response.statusCode,
        headers: Object.fromEntries(entries),
        body: response.body,
        sentAt,
        receivedAt: Date.now(),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw asServiceError(error);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function asServiceError(error: unknown): ServiceError {
  const isTimeout = error instanceof errors.HeadersTimeoutError;
  return new ServiceError({ reason: isTimeout ? "timeout" : "unreachable", message: "No answer." }, error);
}

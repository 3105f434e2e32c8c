import type { ExchangeObserver } from "../../core/conversation/completion.ts";
import { exposeHead, exposeRequest } from "./exposedRequest.ts";
import type { HttpRequest, HttpResponse, Transport } from "./transport.ts";

/** Sends the request, and tells the observer, if there is one, of its way. `secrets` are what it must not hear. */
export async function sendObserved(
  transport: Transport,
  observer: ExchangeObserver | undefined,
  secrets: readonly string[],
  request: HttpRequest,
): Promise<HttpResponse> {
  if (observer === undefined) return transport.request(request);
  observer.onRequest(exposeRequest(request, secrets));
  const response = await transport.request({ ...request, observer });
  observer.onHead(exposeHead(response, request, secrets));
  return response;
}

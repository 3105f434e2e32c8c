import { createInferenceClient } from "../../src/gateway/completion/inferenceClient.ts";
import type {
  InferenceClient,
  InferenceClientOptions,
} from "../../src/gateway/completion/inferenceClient.ts";
import type { Transport } from "../../src/gateway/http/transport.ts";

/** A client of the service at this URL, which ends without “/v1”. */
export function createTestClient(
  url: string,
  { transport, ...options }: Partial<InferenceClientOptions> & { readonly transport: Transport },
): InferenceClient {
  return createInferenceClient({
    transport,
    baseUrl: `${url}/v1`,
    readApiKey: async () => "the-key",
    timeoutMs: () => 20_000,
    userAgent: "inference-gateway/test",
    allowInsecureHttp: false,
    random: () => 0,
    ...options,
  });
}

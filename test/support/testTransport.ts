import type { Transport } from "../../src/gateway/http/transport.ts";
import { createTransport } from "../../src/gateway/http/undiciTransport.ts";

/** The product's own transport, without proxies and with Node's built-in certificates. */
export function createTestTransport(): Transport {
  return createTransport({
    network: () => ({
      noProxy: [],
      proxySupport: "override",
      strictSsl: true,
      useSystemCertificates: false,
      environment: {},
    }),
    userAgent: "inference-gateway/test",
    now: () => Date.now(),
  });
}

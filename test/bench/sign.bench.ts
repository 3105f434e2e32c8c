import { createHmac } from "node:crypto";
import { attachCredential } from "../../src/gateway/auth/gatewayRequest.ts";
import type { Benchmark } from "./benchmark.ts";

const rounds = 5_000;
const kept = 7;
const rules = {
  sessionTokenCarrier: "header",
  stsTokenCarrier: "header",
  signature: { encoding: "hex", emptyValues: "omit" },
} as const;
const credential = {
  kind: "accessKey",
  accessKey: "AK0123456789ABCDEF01",
  apiSecret: "0123456789abcdef0123456789abcdef01234567",
} as const;

/** The cost that signing adds to a gateway request: sorting, the message, the HMAC and adding it to the query. */
export const benchmark: Benchmark = {
  title: `Signing: ${rounds} requests`,
  run() {
    const few = [
      ["pageIdx", "1"],
      ["pageSize", "100"],
    ] as const;
    const many = Array.from({ length: 20 }, (_, index) => [`parameter${index}`, `value ${index}`] as const);
    const bare = measureEach((nonce) => {
      const message = `AK0123456789ABCDEF01pageIdx=1&pageSize=100${1_790_000_000 + nonce}`;
      createHmac("sha256", credential.apiSecret).update(message).digest("hex");
    });
    const two = measure(few);
    const target = "under 20 µs";
    return Promise.resolve([
      { name: "a bare HMAC of such a message", value: bare, unit: "µs CPU" },
      { name: "no parameters", value: measure([]), unit: "µs CPU", target },
      {
        name: "2 parameters",
        value: two,
        unit: "µs CPU",
        ratio: two / bare,
        ratioTo: "a bare HMAC",
        target: "at most 2",
        failAbove: 4,
      },
      { name: "20 parameters", value: measure(many), unit: "µs CPU", target },
    ]);
  },
};

function measure(parameters: readonly (readonly [string, string])[]): number {
  return measureEach((nonce) => attachCredential(credential, rules, parameters, 1_790_000_000 + nonce));
}

/** Microseconds of CPU time per call, as the median of several rounds: other processes have little effect on it. */
function measureEach(call: (nonce: number) => unknown): number {
  const times = Array.from({ length: kept }, () => {
    const before = process.threadCpuUsage();
    for (let nonce = 0; nonce < rounds; nonce++) call(nonce);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / rounds;
  });
  return times.toSorted((a, b) => a - b)[Math.floor(kept / 2)] ?? 0;
}

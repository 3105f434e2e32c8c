import type { ClockOffsets } from "./clockOffset.ts";
import { readClockSample } from "./clockSample.ts";
import type { Transport } from "../http/transport.ts";

/**
 * The same transport; what its answers tell of their clock is kept as a hint for gateways that don't tell their own.
 * Nothing is signed for the origins that are asked this way, so their offsets stand under names of their own.
 */
export function watchClock(transport: Transport, clockOffsets: ClockOffsets, now: () => number): Transport {
  return {
    async request(request) {
      const response = await transport.request(request);
      const sample = readClockSample(response);
      if (sample !== undefined) {
        const clock = clockOffsets.of(`hint ${request.url.origin}`);
        clock.observe(sample, { wallMs: now(), monotonicMs: performance.now() });
      }
      return response;
    },
    close: () => transport.close(),
  };
}

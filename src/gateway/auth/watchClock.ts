import type { ClockOffsets } from "./clockOffset.ts";
import { readClockSample } from "./clockOffset.ts";
import type { Transport } from "../http/transport.ts";

/**
 * Wraps the transport. What its responses reveal about their clock is kept as a hint for gateways that don't report
 * their own. Requests to these origins aren't signed, so their offsets are stored under separate names.
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

import type { Benchmark } from "../benchmark.ts";
import { measureNativeResponse } from "./nativeChat/nativeResponse.ts";
import { buildExtension, measurePanelResponse } from "./panelResponse.ts";

const answer = { tokens: 5_000, tokensPerSecond: 2_000 };

/**
 * The same text at the same rate, first in our panel, then in VS Code's own chat: the main threads of whole windows.
 */
export const benchmark: Benchmark = {
  title: `${answer.tokens.toLocaleString("en")} tokens at ${answer.tokensPerSecond.toLocaleString("en")}/s in our panel and in VS Code's own chat`,
  async run() {
    buildExtension();
    const ours = await measurePanelResponse(answer);
    const native = await measureNativeResponse(answer);
    return [
      { name: "ours, main thread", value: ours.cpu.total, unit: "ms CPU" },
      {
        name: "VS Code's own, main thread",
        value: native.cpu.total,
        unit: "ms CPU",
        ratio: native.cpu.total / ours.cpu.total,
        ratioTo: "ours",
        target: "at least 20",
        failBelow: 8,
      },
      { name: "ours, worst task", value: ours.cpu.worstTask, unit: "ms CPU", target: "< 50", failAbove: 120 },
      { name: "VS Code's own, worst task", value: native.cpu.worstTask, unit: "ms CPU" },
      { name: "ours, whole answer", value: ours.seconds, unit: "s" },
      { name: "VS Code's own, whole answer", value: native.seconds, unit: "s" },
      { name: "ours, last token painted after", value: ours.seen.lastDelay, unit: "ms", target: "< 100" },
      { name: "VS Code's own, last token painted after", value: native.lastDelay, unit: "ms" },
    ];
  },
};

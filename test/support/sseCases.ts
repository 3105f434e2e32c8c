import { readFileSync } from "node:fs";

/**
 * One stream from `test/fixtures/sse-cases.json`, collected from the suites of web-platform-tests, undici,
 * eventsource-parser, openai-node and openai-python. Each case names its source. Only what the tests need.
 */
export interface SseCase {
  readonly name: string;
  readonly layer: "sse" | "chat";
  readonly bytesBase64: string;
  readonly chunksBase64?: readonly string[];
  readonly expectedEvents?: readonly { readonly event: string | null; readonly data: string }[];
  readonly status: number;
  readonly contentType: string;
  readonly eof: "clean" | "abort" | "open";
  readonly expectedDeltas: readonly string[];
  readonly expectedText: string;
  readonly expectedReasoning?: string;
  readonly expectedRefusal?: string;
  readonly expectedToolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly expectedFinishReason?: string | null;
  readonly expectedUsage?: Readonly<Record<string, unknown>>;
  readonly expectedError?: {
    readonly kind: string;
    readonly message?: string;
    readonly messageMustNotInclude?: string;
  } | null;
}

const url = new URL("../fixtures/sse-cases.json", import.meta.url);

export function readSseCases(layer: SseCase["layer"]): readonly SseCase[] {
  const corpus: { readonly cases: readonly SseCase[] } = JSON.parse(readFileSync(url, "utf8"));
  return corpus.cases.filter((entry) => entry.layer === layer);
}

export function caseBytes(entry: SseCase): Buffer {
  return Buffer.from(entry.bytesBase64, "base64");
}

import { t } from "@vscode/l10n";
import { needsApiKey } from "../../core/account/profile.ts";
import type { CompletionEvent, ExchangeObserver } from "../../core/conversation/completion.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { createInferenceClient } from "../completion/inferenceClient.ts";
import type { InferenceClient } from "../completion/inferenceClient.ts";
import { credentialRemedies, readCredential, secretShape } from "./sourceStep.ts";
import { failedFinding } from "./runSteps.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";

const question = "Say: ok";
const maxTokens = 16;
/** Models that respond with something other than text. */
const otherModels = /embed|rerank|whisper|tts|speech|image|diffusion|flux|video|moderation|ocr/i;

/** The moments of the exchange, in milliseconds since its start. */
interface Moments {
  connected?: number;
  sent?: number;
  head?: number;
  first?: number;
  pieces: number;
}

/** Checks whether a response is streamed, and how fast. */
export const tokenStep: DiagnosisStep<Target> = {
  title: () => t("Streamed response"),
  maxMs: 60_000,
  async run(target, signal): Promise<Finding> {
    const model = chooseModel(target);
    if (model === undefined) return { status: "skipped", summary: t("No model is available.") };
    const asked: Fact = {
      label: t("Request"),
      value: t("{0}: “{1}”, at most {2} tokens", model, question, formatNumber(maxTokens)),
    };
    const begun = performance.now();
    const moments: Moments = { pieces: 0 };
    const run = inferenceClient(target).complete(
      { model, messages: [{ role: "user", content: question }], maxTokens, stream: true },
      { exchange: observe(moments, begun) },
    );
    const stop = (): void => run.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const event of run.events) note(moments, event, performance.now() - begun);
    } catch (error) {
      return { ...failedFinding(error), facts: [asked, ...factsOf(moments)] };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    signal.throwIfAborted();
    const end: Fact = {
      label: t("Time to last byte"),
      value: t("{0} ms", formatNumber(Math.round(performance.now() - begun))),
    };
    const facts = [asked, ...factsOf(moments), end];
    if (moments.first === undefined) {
      return { status: "warning", summary: t("The response ended without any text."), facts };
    }
    return {
      status: "passed",
      summary: t("First token after {0} ms.", formatNumber(Math.round(moments.first))),
      facts,
    };
  },
};

/** The model used last, otherwise the first one that looks like a chat model. */
function chooseModel({ models = [], ports }: Target): string | undefined {
  const ids = models.map(({ id }) => id);
  return ids.find((id) => id === ports.lastModel) ?? ids.find((id) => !otherModels.test(id)) ?? ids[0];
}

function observe(moments: Moments, begun: number): ExchangeObserver {
  const now = (): number => performance.now() - begun;
  return {
    onRequest: () => undefined,
    onConnection: () => undefined,
    onConnected: () => void (moments.connected = now()),
    onSent: () => void (moments.sent = now()),
    onHead: () => void (moments.head = now()),
    onBytes: () => undefined,
    onEvent: () => undefined,
    onFailure: () => undefined,
    onEnd: () => undefined,
  };
}

function note(moments: Moments, event: CompletionEvent, atMs: number): void {
  if (event.type !== "text" && event.type !== "reasoning") return;
  moments.first ??= atMs;
  moments.pieces++;
}

function factsOf({ connected, sent, head, first, pieces }: Moments): readonly Fact[] {
  const all: readonly (readonly [string, number | undefined])[] = [
    [t("Time to connect"), connected],
    [t("Time to send request"), sent],
    [t("Time to response headers"), head],
    [t("Time to first token"), first],
  ];
  const times = all.flatMap(([label, ms]) =>
    ms === undefined ? [] : [{ label, value: t("{0} ms", formatNumber(Math.round(ms))) }],
  );
  return pieces === 0 ? times : [...times, { label: t("Chunks"), value: String(pieces) }];
}

/** Number of model names worth listing. */
const shownModels = 5;

/** Checks whether the key is accepted, and which models there are. */
export const apiKeyStep: DiagnosisStep<Target> = {
  title: () => t("API key and models"),
  async run(target, signal): Promise<Finding> {
    const reading = await readCredential(target, "apiKey");
    const isKey = "kind" in reading;
    if (isKey) target.credential = reading;
    // Some servers don't need one.
    else if (reading.status === "failed" || needsApiKey(target.profile)) return reading;
    const shape = isKey && reading.kind === "apiKey" ? [secretShape(t("API key"), reading.apiKey)] : [];
    try {
      target.models = await inferenceClient(target).listModels(signal);
    } catch (error) {
      signal.throwIfAborted();
      const isKeyWrong =
        error instanceof ServiceError && (error.reason === "apiKey" || error.reason === "missingCredential");
      const remedies = isKeyWrong ? credentialRemedies(target, "apiKey") : [];
      const stops = t("The list of models couldn't be read.");
      return { ...failedFinding(error), facts: shape, remedies, stops };
    }
    const { length } = target.models;
    if (length === 0) {
      const summary = t("The key is valid, but no models are available to it.");
      return { status: "warning", summary, facts: shape, stops: t("No model is available.") };
    }
    const names = target.models.slice(0, shownModels).map(({ id }) => ({ label: t("Model"), value: id }));
    const summary = isKey
      ? t("The key is accepted. Models: {0}.", formatNumber(length))
      : t("No key required. Models: {0}.", formatNumber(length));
    return { status: "passed", summary, facts: [...shape, ...names] };
  },
};

/** The product's own client, with a single attempt. */
function inferenceClient(target: Target): InferenceClient {
  const { ports, profile, credential } = target;
  return createInferenceClient({
    transport: ports.transport,
    baseUrl: profile.inferenceBaseUrl ?? "",
    readApiKey: () => Promise.resolve(credential?.kind === "apiKey" ? credential.apiKey : undefined),
    timeoutMs: () => ports.stepMs,
    headers: profile.headers,
    userAgent: ports.userAgent,
    allowInsecureHttp: profile.allowInsecureHttp,
    isKeyOptional: !needsApiKey(profile),
    retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0, maxServerWaitMs: 0 }),
  });
}

import { t } from "@vscode/l10n";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { createInferenceClient } from "../completion/inferenceClient.ts";
import type { InferenceClient } from "../completion/inferenceClient.ts";
import { credentialRemedies, longestSourceMs, readCredential } from "./credentials.ts";
import { failedFinding } from "./runSteps.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";

const question = "Say: ok";
const maxTokens = 16;
/** Models that respond with something other than text. */
const otherModels = /embed|rerank|whisper|tts|speech|image|diffusion|flux|video|moderation|ocr/i;

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
    let firstMs: number | undefined;
    const run = inferenceClient(target).complete(
      { model, messages: [{ role: "user", content: question }], maxTokens, stream: true },
      {},
    );
    const stop = (): void => run.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const { type } of run.events)
        if (type === "text" || type === "reasoning") firstMs ??= performance.now() - begun;
    } catch (error) {
      return { ...failedFinding(error), facts: [asked] };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    signal.throwIfAborted();
    const facts = [asked];
    if (firstMs === undefined)
      return { status: "warning", summary: t("The response ended without any text."), facts };
    const summary = t("First token after {0} ms.", formatNumber(Math.round(firstMs)));
    return { status: "passed", summary, facts };
  },
};

/** The model used last, otherwise the first one that looks like a chat model. */
function chooseModel({ models = [], ports }: Target): string | undefined {
  const ids = models.map(({ id }) => id);
  return ids.find((id) => id === ports.lastModel) ?? ids.find((id) => !otherModels.test(id)) ?? ids[0];
}

/** Number of model names worth listing. */
const shownModels = 5;

/** Checks whether the key is accepted, and which models there are. */
export const apiKeyStep: DiagnosisStep<Target> = {
  title: () => t("API key and models"),
  maxMs: longestSourceMs,
  async run(target, signal): Promise<Finding> {
    const reading = await readCredential(target, "apiKey");
    const isKey = "credential" in reading;
    if (isKey) target.credential = reading.credential;
    // Some servers don't need one.
    else if (reading.status === "failed" || needsApiKey(target.profile)) return reading;
    const shape = isKey ? reading.facts : [];
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

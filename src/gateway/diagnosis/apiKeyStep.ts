import { t } from "@vscode/l10n";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import type { InferenceClient } from "../completion/inferenceClient.ts";
import { createInferenceClient } from "../completion/inferenceClient.ts";
import { credentialRemedies, readCredential, secretShape } from "./readCredential.ts";
import { failedFinding } from "./runSteps.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Number of model names worth listing. */
const shownModels = 5;

/** Checks whether the key is accepted, and which models there are. */
export const apiKeyStep: Step<Target> = {
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
      ? t("The key is accepted. Models: {0}.", length)
      : t("No key required. Models: {0}.", length);
    return { status: "passed", summary, facts: [...shape, ...names] };
  },
};

/** The product's own client, with a single attempt. */
export function inferenceClient(target: Target): InferenceClient {
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

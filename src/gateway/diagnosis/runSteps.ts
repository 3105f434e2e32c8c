import { t } from "@vscode/l10n";
import type { Finding, StepReport } from "../../core/diagnosis/diagnosis.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { schemeRemedies, stepMs } from "./target.ts";
import type { Target } from "./target.ts";

/** One check. It leaves what later steps need in the target. */
export interface DiagnosisStep {
  readonly title: () => string;
  /** Maximum duration in milliseconds, if it takes longer than others. */
  readonly maxMs?: number;
  readonly run: (target: Target, signal: AbortSignal) => Promise<Finding>;
}

interface RunStepsOptions {
  /** Aborted when the user stops: what was found until then is kept. */
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/**
 * Runs the steps in order. After a step that stops the run, or after the user stops it, the remaining ones are skipped
 * with the reason.
 */
export async function runSteps(
  steps: readonly DiagnosisStep[],
  target: Target,
  { signal, onStep }: RunStepsOptions,
): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  let stops: string | undefined;
  for (const step of steps) {
    const title = step.title();
    if (signal.aborted) stops = t("The diagnosis was canceled.");
    if (stops !== undefined) {
      reports.push({ title, status: "skipped", summary: stops });
      continue;
    }
    onStep(title);
    const begun = performance.now();
    const finding = await take(step, target, signal);
    const tookMs = performance.now() - begun;
    reports.push(finding.status === "skipped" ? { ...finding, title } : { ...finding, title, tookMs });
    stops = finding.stops;
  }
  return reports;
}

/** A step that never finishes must not block the others. */
async function take(
  { run, maxMs = stepMs }: DiagnosisStep,
  target: Target,
  signal: AbortSignal,
): Promise<Finding> {
  const own = new AbortController();
  const late = setTimeout(() => own.abort(), maxMs);
  const either = AbortSignal.any([signal, own.signal]);
  try {
    return await Promise.race([run(target, either), rejectOn(either)]);
  } catch (error) {
    if (signal.aborted) return { status: "skipped", summary: t("The diagnosis was canceled.") };
    if (own.signal.aborted) return tooSlow(maxMs);
    const remedies = error instanceof ServiceError ? schemeRemedies(target, error.facts) : [];
    return { ...failedFinding(error), remedies };
  } finally {
    clearTimeout(late);
    own.abort();
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    if (signal.aborted) reject(new Error("aborted"));
  });
}

function tooSlow(maxMs: number): Finding {
  const seconds = Math.round(maxMs / 1_000);
  return {
    status: "failed",
    summary: t("No response within {0} s.", String(seconds)),
    stops: t("An earlier step didn't finish."),
  };
}

/** Describes a failure with its own message. */
export function failedFinding(error: unknown): Finding {
  const summary =
    error instanceof ServiceError
      ? error.message
      : t("This step failed unexpectedly. See the log for details.");
  return { status: "failed", summary, stops: t("An earlier step failed.") };
}

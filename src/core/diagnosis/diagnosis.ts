import { parseProfiles } from "../account/parseProfiles.ts";
import type { ReportRemedy } from "../account/remedies.ts";

/** `skipped`: an earlier step, or the user, made it meaningless; its summary explains which. */
export type StepStatus = "passed" | "warning" | "failed" | "skipped";

/** One observation of a step. The value may come from outside: it is shown unchanged and never interpreted. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** The result of a step. */
export interface Finding {
  readonly status: StepStatus;
  /** One full sentence. */
  readonly summary: string;
  readonly facts?: readonly Fact[];
  readonly remedies?: readonly ReportRemedy[];
  /** Why the following steps would reveal nothing, as a full sentence. */
  readonly stops?: string;
}

/** A finding along with its step. */
export interface StepReport extends Finding {
  readonly title: string;
  /** Milliseconds; absent if nothing ran. */
  readonly tookMs?: number;
}

/** The steps that check one address, or the settings. */
export interface SectionReport {
  readonly title: string;
  /** The address without its path. */
  readonly address?: string;
  readonly steps: readonly StepReport[];
}

/** The results for one profile, by section. */
export interface ProfileReport {
  readonly profileName: string;
  readonly sections: readonly SectionReport[];
}

/** All results of one run. */
export interface Diagnosis {
  readonly profiles: readonly ProfileReport[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What ran the diagnosis, and where: versions and the kind of machine, but nothing that identifies the user. */
  readonly environment: readonly string[];
}

/** The entry of the setting `inferenceGateway.profiles` that the profile was read from, as the user wrote it. */
export function findProfileEntry(setting: unknown, profileName: string): unknown {
  const entries: readonly unknown[] = Array.isArray(setting) ? setting : [];
  return entries.find((entry) => parseProfiles([entry]).profiles[0]?.name === profileName);
}

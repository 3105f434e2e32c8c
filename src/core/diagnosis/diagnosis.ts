import type { GatewayCredentialKind, SecretKind } from "../kernel/credential.ts";

/** `skipped`: an earlier step, or the user, made it meaningless; its summary says which. */
export type StepStatus = "passed" | "warning" | "failed" | "skipped";

/** One thing that a step has seen. The value may come from outside: it is shown as it stands, never interpreted. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Options of a profile that a report can offer to change. */
export interface ProfileChange {
  readonly inferenceBaseUrl?: string;
  readonly gatewayUrl?: string;
  readonly gatewayCredential?: GatewayCredentialKind;
  readonly signatureEncoding?: "hex" | "base64";
  readonly signatureEmptyValues?: "omit" | "keep";
}

/** What mends a finding on a click. */
export type Remedy =
  | {
      readonly kind: "profile";
      readonly label: string;
      readonly profileName: string;
      readonly change: ProfileChange;
    }
  | {
      readonly kind: "credential";
      readonly label: string;
      readonly profileName: string;
      readonly secret: SecretKind;
    }
  /** A setting of VS Code itself; `noProxy` adds the host to `http.noProxy`. */
  | { readonly kind: "noProxy"; readonly label: string; readonly host: string }
  | {
      readonly kind: "setting";
      readonly label: string;
      readonly name: "http.systemCertificates" | "http.proxySupport";
      readonly value: boolean | string;
    };

/** What a step has found. */
export interface Finding {
  readonly status: StepStatus;
  /** One full sentence. */
  readonly summary: string;
  readonly facts?: readonly Fact[];
  readonly remedies?: readonly Remedy[];
  /** Why the steps after this one would tell nothing, as a full sentence. */
  readonly stops?: string;
}

/** A finding with the step that made it. */
export interface StepReport extends Finding {
  readonly title: string;
  /** Milliseconds; absent where nothing ran. */
  readonly tookMs?: number;
}

/** The steps that look at one address, or at the settings. */
export interface SectionReport {
  readonly title: string;
  /** The address without its path. */
  readonly address?: string;
  readonly steps: readonly StepReport[];
}

export interface ProfileReport {
  readonly profileName: string;
  readonly sections: readonly SectionReport[];
}

/** Everything that one run has found. */
export interface Diagnosis {
  readonly profiles: readonly ProfileReport[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What looked, and from where: versions and the kind of machine; nothing that names the user. */
  readonly environment: readonly string[];
}

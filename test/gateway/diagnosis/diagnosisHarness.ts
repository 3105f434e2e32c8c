import type { Credential } from "../../../src/core/kernel/credential.ts";
import type { Diagnosis, ProfileReport, StepReport } from "../../../src/core/diagnosis/diagnosis.ts";
import { diagnosisDocument } from "../../../src/core/diagnosis/diagnosisDocument.ts";
import { secretTexts } from "../../../src/core/account/credentialKinds.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import { diagnoseProfile } from "../../../src/gateway/diagnosis/diagnoseProfile.ts";
import type { DiagnosisPorts } from "../../../src/gateway/diagnosis/target.ts";
import { Certificates } from "../../../src/gateway/http/certificates.ts";
import type { NetworkSettings } from "../../../src/gateway/http/transport.ts";
import type { Harness } from "../http/transportHarness.ts";
import { plainSettings } from "../http/transportHarness.ts";

export interface DiagnosisCase {
  /** The entry in the settings. Its name is "test" unless specified otherwise. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly credentials?: readonly Credential[];
  readonly network?: Partial<NetworkSettings>;
  /** CA certificates to trust, as PEM. */
  readonly issuers?: readonly string[];
  readonly ports?: Partial<DiagnosisPorts>;
  readonly signal?: AbortSignal;
  readonly onStep?: (title: string) => void;
}

export interface DiagnosisResult {
  readonly report: ProfileReport;
  /** The text that the user sees. */
  readonly text: string;
  /** The step with this title in the last section that contains it. */
  step(title: string): StepReport;
}

/** Runs a whole diagnosis with the product's own transport. */
export async function diagnose(harness: Harness, given: DiagnosisCase): Promise<DiagnosisResult> {
  const entry = { name: "test", ...given.entry };
  const [profile] = parseProfiles([entry]).profiles;
  if (profile === undefined) throw new Error("The entry is no profile.");
  const network = { ...plainSettings, ...given.network };
  const readCertificates = (): readonly string[] => given.issuers ?? [];
  const credentials = given.credentials ?? [];
  const ports: DiagnosisPorts = {
    transport: harness.transport(network, { readCertificates }),
    clockOffsets: new ClockOffsets(),
    certificates: new Certificates(readCertificates),
    network: () => network,
    userAgent: "inference-gateway-test",
    lastModel: undefined,
    readSecret(_, kind) {
      const credential = credentials.find((candidate) => candidate.kind === kind);
      return Promise.resolve(
        credential === undefined ? { state: "missing" } : { state: "present", credential, savedAt: 0 },
      );
    },
    ...given.ports,
  };
  const report = await diagnoseProfile({
    ports,
    profile,
    entry,
    signal: given.signal ?? new AbortController().signal,
    onStep: given.onStep ?? (() => undefined),
  });
  const redaction = new Redaction();
  for (const credential of credentials) for (const text of secretTexts(credential)) redaction.remember(text);
  const diagnosis: Diagnosis = { profiles: [report], startedAt: 0, environment: [] };
  return {
    report,
    text: diagnosisDocument(diagnosis, { redact: (text) => redaction.redact(text) }),
    step(title) {
      const steps = report.sections.flatMap((section) => section.steps);
      const step = steps.findLast((candidate) => candidate.title === title);
      if (step === undefined) throw new Error(`There is no step ${title}.`);
      return step;
    },
  };
}

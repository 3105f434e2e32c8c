import { t } from "@vscode/l10n";
import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import { checkSettings } from "../../core/diagnosis/checkSettings.ts";
import type { ProfileReport, SectionReport } from "../../core/diagnosis/diagnosis.ts";
import type { Profile } from "../../core/account/profile.ts";
import { createServersUrl } from "../auth/gatewayUrl.ts";
import { createInferenceUrl } from "../completion/inferenceUrl.ts";
import { apiKeyStep } from "./apiKeyStep.ts";
import { clockStep } from "./clockStep.ts";
import { concealReport } from "./concealReport.ts";
import { credentialStep } from "./credentialStep.ts";
import { dnsStep } from "./dnsStep.ts";
import { httpStep } from "./httpStep.ts";
import { proxyStep } from "./proxyStep.ts";
import { runSteps } from "./runSteps.ts";
import type { Step } from "./runSteps.ts";
import { serversStep } from "./serversStep.ts";
import type { DiagnosisPorts, Target } from "./target.ts";
import { tcpStep } from "./tcpStep.ts";
import { tlsStep } from "./tlsStep.ts";
import { tokenStep } from "./tokenStep.ts";

const network: readonly Step<Target>[] = [dnsStep, proxyStep, tcpStep, tlsStep, httpStep, clockStep];
const steps: Readonly<Record<BaseUrlRole, readonly Step<Target>[]>> = {
  inference: [...network, apiKeyStep, tokenStep],
  gateway: [...network, credentialStep, serversStep],
};

/** How many steps one profile has at most. */
export const stepCount = 1 + steps.inference.length + steps.gateway.length;

export interface DiagnoseOptions {
  readonly ports: DiagnosisPorts;
  readonly profile: Profile;
  /** The profile's entry in the settings, as the user wrote it. */
  readonly entry: unknown;
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
}

/** Looks at everything between this machine and a profile's two services, step by step. Never rejects. */
export async function diagnoseProfile(options: DiagnoseOptions): Promise<ProfileReport> {
  const { ports, profile, entry, signal, onStep } = options;
  const settings: Step<undefined> = {
    title: () => t("Settings and addresses"),
    run: () => Promise.resolve(checkSettings(entry, profile.name)),
  };
  const run = { signal, stepMs: ports.stepMs, onStep };
  const sections: SectionReport[] = [
    { title: t("Settings"), steps: await runSteps([settings], undefined, run) },
  ];
  const inference = createUrl(() => createInferenceUrl(profile.inferenceBaseUrl ?? "", "/models"));
  const gateway = createUrl(() => createServersUrl(profile.gatewayUrl));
  for (const [role, url] of [
    ["inference", inference],
    ["gateway", gateway],
  ] as const) {
    if (url === undefined) continue;
    const target: Target = { ports, role, profile, url, network: ports.network(), route: {} };
    const reports = await runSteps(steps[role], target, run);
    const title = role === "inference" ? t("Inference service") : t("GPU gateway");
    sections.push({ title, address: url.origin, steps: reports });
  }
  return { profileName: profile.name, sections: await concealReport(sections, ports, profile) };
}

/** The settings step has said already what is wrong with it. */
function createUrl(create: () => URL): URL | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}

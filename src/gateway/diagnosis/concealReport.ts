import type { Profile } from "../../core/account/profile.ts";
import type { SectionReport, StepReport } from "../../core/diagnosis/diagnosis.ts";
import { secretKinds, secretTexts } from "../../core/account/secretEntry.ts";
import { concealSecrets } from "../errors/concealSecrets.ts";
import type { DiagnosisPorts } from "./target.ts";

/** The report without any secret of the profile, whoever repeated it: each answer knows only what its own request carried. */
export async function concealReport(
  sections: readonly SectionReport[],
  ports: DiagnosisPorts,
  profile: Profile,
): Promise<readonly SectionReport[]> {
  const readings = await Promise.all(secretKinds.map((kind) => ports.readSecret(profile, kind)));
  const secrets = readings.flatMap((reading) =>
    reading.state === "present" ? secretTexts(reading.credential) : [],
  );
  const conceal = (text: string): string => concealSecrets(text, secrets);
  return sections.map((section) => ({
    ...section,
    steps: section.steps.map((step) => concealStep(step, conceal)),
  }));
}

function concealStep(step: StepReport, conceal: (text: string) => string): StepReport {
  const { summary, facts } = step;
  return {
    ...step,
    summary: conceal(summary),
    ...(facts === undefined
      ? {}
      : { facts: facts.map(({ label, value }) => ({ label, value: conceal(value) })) }),
  };
}

import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/sanitizeLabel.ts";

/** Why nothing can be recorded: no program for it was found. `remoteName` names the machine where it isn't the user's own. */
export function noRecorder(programs: readonly string[], remoteName: string | undefined): string {
  const looked = [...new Set(programs)].join(", ");
  return remoteName === undefined
    ? t("No recorder was found. Install one of {0}, or attach a wav or mp3 file.", looked)
    : t(
        "Recording happens on the machine that runs the extension ({0}), and no recorder was found there ({1}). Attach a wav or mp3 file instead.",
        sanitizeLabel(remoteName, 60),
        looked,
      );
}

/** `details` is what the recorder said. */
export function failedRecorder(details: string, remoteName: string | undefined): string {
  const words = sanitizeLabel(details, 200);
  const sentence =
    remoteName === undefined
      ? t("Couldn't record. Is a microphone connected?")
      : t(
          "Couldn't record. Recording happens on the machine that runs the extension ({0}). Does it have a microphone?",
          sanitizeLabel(remoteName, 60),
        );
  return words === "" ? sentence : t("{0} The recorder said: {1}", sentence, words);
}

export function silentRecording(): string {
  return t("Only silence was recorded. Check the microphone, and that the system lets VS Code use it.");
}

export function emptyRecording(): string {
  return t("Nothing was recorded because the recording was stopped too soon.");
}

/** Said while it records on another machine than the user's. */
export function remoteRecording(remoteName: string): string {
  return t(
    "This records on the machine that runs the extension ({0}), not on yours.",
    sanitizeLabel(remoteName, 60),
  );
}

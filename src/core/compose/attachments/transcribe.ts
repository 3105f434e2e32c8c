import { t } from "@vscode/l10n";
import type { CompletionPort, CompletionRequest } from "../../conversation/completion.ts";
import type { AudioPart } from "../../conversation/completion.ts";
import { ServiceError } from "../../kernel/errors.ts";

/** The instructions for the model, always in English. */
const instruction =
  "Transcribe this recording word for word, in the language that is spoken. Reply with the transcript only.";

/** UTF-16 units. A transcript that is longer isn't one of this recording. */
const longestTranscript = 100_000;

/** The request for the transcript of a recording. */
export function transcriptionRequest(model: string, audio: AudioPart): CompletionRequest {
  const content = [{ type: "text", text: instruction } as const, audio];
  return { model, messages: [{ role: "user", content }], stream: true };
}

/** A transcript that has been requested. */
interface Transcription {
  /** Undefined if it was stopped. Rejects with a ServiceError. */
  readonly transcript: Promise<string | undefined>;
  stop(): void;
}

/** Requests the transcript of a recording. */
export function transcribe(completions: CompletionPort, request: CompletionRequest): Transcription {
  const run = completions.complete(request, { purpose: "dictation" });
  let isStopped = false;
  async function read(): Promise<string | undefined> {
    let text = "";
    for await (const event of run.events) {
      if (event.type === "text") text += event.text;
      if (event.type === "reasoningEnd") text = "";
      if (text.length > longestTranscript) run.stop();
    }
    if (isStopped) return undefined;
    if (text.trim() === "") throw noTranscript();
    return text.slice(0, longestTranscript).trim();
  }
  return {
    transcript: read(),
    stop() {
      isStopped = true;
      run.stop();
    },
  };
}

function noTranscript(): ServiceError {
  return new ServiceError({
    reason: "service",
    message: t("The model returned no transcript. Record again, or select another dictation model."),
  });
}

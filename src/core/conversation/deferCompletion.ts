import type { CompletionEvent, CompletionPort, CompletionRun } from "./completion.ts";

/**
 * A completion port whose client is loaded with the first request, so that no network code is loaded at activation. A
 * stop before or during loading ends the run before anything is sent.
 */
export function deferCompletion(loadPort: () => Promise<CompletionPort>): CompletionPort {
  return {
    complete(request, observer): CompletionRun {
      let run: CompletionRun | undefined;
      let isStopped = false;
      async function* events(): AsyncGenerator<CompletionEvent> {
        if (isStopped) return;
        const port = await loadPort();
        if (isStopped) return;
        run = port.complete(request, observer);
        yield* run.events;
      }
      return {
        events: events(),
        stop() {
          isStopped = true;
          run?.stop();
        },
      };
    },
  };
}

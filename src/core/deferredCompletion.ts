import type { CompletionEvent, CompletionPort, CompletionRun } from "./completion.ts";

/**
 * A completion port whose client is loaded with the first request, so that nothing of the wire is loaded at
 * activation. A stop while it loads ends the run before anything was sent.
 */
export function deferCompletion(loadPort: () => Promise<CompletionPort>): CompletionPort {
  return {
    complete(request, observer): CompletionRun {
      let run: CompletionRun | undefined;
      let isStopped = false;
      async function* readEvents(): AsyncGenerator<CompletionEvent> {
        const port = await loadPort();
        if (isStopped) return;
        run = port.complete(request, observer);
        yield* run.events;
      }
      return {
        events: readEvents(),
        stop() {
          isStopped = true;
          run?.stop();
        },
        retryNow() {
          run?.retryNow();
        },
      };
    },
  };
}

import type { CompletionPort, CompletionRequest } from "../completion.ts";
import { parseTitle } from "./parseTitle.ts";

/** Sends the request once; undefined where no whole title came. Rejects with why none came at all. */
export async function generateTitle(
  completions: CompletionPort,
  request: CompletionRequest,
): Promise<string | undefined> {
  const run = completions.complete(request, {
    // A title is not worth a second try.
    onRetry: () => run.stop(),
  });
  let text = "";
  let isWhole = false;
  for await (const event of run.events) {
    if (event.type === "text") text += event.text;
    if (event.type === "finish") isWhole = event.reason !== "length";
  }
  return isWhole ? parseTitle(text) : undefined;
}

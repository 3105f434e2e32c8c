import type { CompletionPort, CompletionRequest } from "../../conversation/completion.ts";
import { deferCompletion } from "../../conversation/deferredCompletion.ts";

/** Judges a request just before it is sent; undefined where it must not be sent. */
export type PassRequest = (request: CompletionRequest) => Promise<CompletionRequest | undefined>;

/**
 * The same port, through which nothing goes that `pass` has not seen, one request after the other. A request that is
 * refused ends without any event.
 */
export function guardCompletion(port: CompletionPort, pass: PassRequest): CompletionPort {
  let last: Promise<unknown> = Promise.resolve();
  function passInTurn(request: CompletionRequest): ReturnType<PassRequest> {
    const passed = last.then(() => pass(request));
    last = passed.catch(() => undefined);
    return passed;
  }
  return {
    complete(request, observer) {
      const guarded = deferCompletion(async () => {
        const passed = await passInTurn(request);
        return passed === undefined ? refused : { complete: () => port.complete(passed, observer) };
      });
      return guarded.complete(request, observer);
    },
  };
}

const refused: CompletionPort = {
  complete: () => ({
    events: {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
    },
    stop: () => undefined,
  }),
};

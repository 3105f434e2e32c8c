import { isRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** UTF-16 code units of an error message that are sent to the host. */
const maxErrorLength = 4000;

/** Sends the errors of the page to the host, which logs them. */
export function reportErrors(host: {
  post(message: { readonly type: "pageError"; readonly message: string }): void;
}): void {
  const report = (error: unknown): void => {
    const text = (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
    host.post({ type: "pageError", message: text.slice(0, maxErrorLength) });
  };
  window.addEventListener("error", (event) => report(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => report(event.reason));
}

/** Passes on the messages of the host. */
export function onHostMessage<T extends { readonly type: string }>(receive: (message: T) => void): void {
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (isFromHost<T>(event.data)) receive(event.data);
  });
}

/** The host's messages have a `type`; whatever else reaches the window (from browser extensions or tools) doesn't. */
function isFromHost<T>(value: unknown): value is T {
  return isRecord(value) && typeof value["type"] === "string";
}

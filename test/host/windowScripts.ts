/**
 * Runs in the window: keeps everything that the status bar has shown, because a confirmation is shown for only a few
 * seconds. A timer would miss it on a busy machine.
 */
export const recordStatuses = `if (window === top) {
  globalThis.shownStatuses = [];
  const follow = () => {
    const bar = document.querySelector(".part.statusbar");
    if (bar === null) return setTimeout(follow, 50);
    let last = "";
    const record = () => {
      const text = bar.textContent.replaceAll(/\\s+/g, " ");
      if (text !== last) shownStatuses.push(text);
      last = text;
    };
    record();
    new MutationObserver(record).observe(bar, { childList: true, characterData: true, subtree: true });
  };
  follow();
}`;

/**
 * Runs in the window: an extension's page looks four times a second whether it has the focus, and reports it with a
 * message. On a busy machine, that message may arrive after a test has clicked somewhere else. VS Code would then
 * activate the group of that page, and commands and keys would no longer reach the editor that has the focus.
 */
export const ignoreLateFocus = `if (window === top) {
  const frames = new WeakMap();
  addEventListener("message", ({ data, ports, source }) => {
    if (data?.channel === "webview-ready" && ports.length > 0) frames.set(ports[0], source);
  });
  const { get, set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    configurable: true,
    get,
    set(listener) {
      const frame = frames.get(this);
      set.call(this, frame === undefined ? listener : (event) => {
        const isLate = event.data?.channel === "did-focus" && document.activeElement?.contentWindow !== frame;
        if (!isLate) listener.call(this, event);
      });
    },
  });
}`;

/** Runs in the window, because one of Playwright's routes would disable the browser's cache. */
export function answerMintKey(): void {
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.endsWith("/mint-key")
      ? Promise.resolve(new Response(new Uint8Array(32).fill(7)))
      : send(input, init);
  };
}

import type { FromWebview } from "../../core/panel/protocol.ts";

/** What VS Code stores for the page: enough for the host to find the conversation after a restart. */
export interface PageState {
  readonly conversationId: string;
}

interface VsCodeApi {
  postMessage(message: FromWebview): void;
  setState(state: PageState): void;
}

declare global {
  var acquireVsCodeApi: () => VsCodeApi;
}

/** The extension host as the page sees it. */
export interface Host {
  post(message: FromWebview): void;
  saveState(state: PageState): void;
}

/** May be called only once in the lifetime of a page. */
export function acquireHost(): Host {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saveState: (state) => api.setState(state),
  };
}

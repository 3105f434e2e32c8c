import * as vscode from "vscode";
import type { Row } from "../../../core/servers/tree/rows.ts";
import type { ServerMenuContext, ServersView } from "../serversView.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { SignedRequestContext, SignedRequests } from "./signedRequests.ts";

/** Registers the commands for requests of the user's own. The implementation is loaded at the first use. */
export function registerSignedRequest(
  context: SignedRequestContext & { servers(): Promise<ServersView> },
): vscode.Disposable {
  let requests: Promise<SignedRequests> | undefined;
  const load = (): Promise<SignedRequests> =>
    (requests ??= import("./signedRequests.ts").then((loaded) => new loaded.SignedRequests(context)));
  return vscode.Disposable.from(
    registerCommands("signedRequest", {
      sendSignedRequest: async () => (await load()).run("gateway"),
      sendApiRequest: async () => (await load()).run("inference"),
      async runSavedRequest(called?: Row | ServerMenuContext) {
        const [view, { chooseServer }] = await Promise.all([context.servers(), import("../chooseServer.ts")]);
        const row = await chooseServer(view, view.rowFrom(called));
        if (row !== undefined) await (await load()).runSaved(row);
      },
    }),
    { dispose: () => void requests?.then((loaded) => loaded.dispose()) },
  );
}

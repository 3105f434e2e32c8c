import * as vscode from "vscode";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { SignedRequestContext, SignedRequests } from "./signedRequests.ts";

/** Registers "Send Signed Request…". The implementation is loaded at the first use. */
export function registerSignedRequest(context: SignedRequestContext): vscode.Disposable {
  let requests: Promise<SignedRequests> | undefined;
  const load = (): Promise<SignedRequests> =>
    (requests ??= import("./signedRequests.ts").then((loaded) => new loaded.SignedRequests(context)));
  return vscode.Disposable.from(
    registerCommands("signedRequest", { sendSignedRequest: async () => (await load()).run() }),
    { dispose: () => void requests?.then((loaded) => loaded.dispose()) },
  );
}

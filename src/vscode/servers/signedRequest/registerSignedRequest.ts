import * as vscode from "vscode";
import { commandIds } from "../../shell/commandIds.ts";
import type { SignedRequestContext, SignedRequests } from "./signedRequests.ts";

/** Registers "Send Signed Request…". The implementation is loaded at the first use. */
export function registerSignedRequest(context: SignedRequestContext): vscode.Disposable {
  let requests: Promise<SignedRequests> | undefined;
  const load = (): Promise<SignedRequests> =>
    (requests ??= import("./signedRequests.ts").then((loaded) => new loaded.SignedRequests(context)));
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.sendSignedRequest, async () => (await load()).run()),
    { dispose: () => void requests?.then((loaded) => loaded.dispose()) },
  );
}

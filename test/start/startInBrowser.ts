import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../host/freePort.ts";
import { startVscodeServer } from "../host/vscodeServer.ts";
import type { VscodeServer } from "../host/vscodeServer.ts";
import { startSettings } from "./startSettings.ts";

/** The same address each time if it is free, because a browser stores its windows and secrets by address. */
const usualPort = 3939;

/** Starts the complete VS Code server with these extensions, for a browser on this machine. */
export async function startInBrowser(
  extensions: readonly string[],
  dataFolder: string,
  environment: Readonly<Record<string, string>>,
): Promise<VscodeServer> {
  const hasSettings = existsSync(join(dataFolder, "User", "settings.json"));
  return startVscodeServer({
    kind: "whole",
    dataFolder,
    extensions,
    environment,
    settings: hasSettings ? undefined : startSettings,
    port: await freePort(usualPort),
  });
}

import { startServersGateway } from "../support/serversGateway.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { TestWindow } from "./testWindow.ts";

/**
 * Opens a window with the extension in this folder and a profile for a gateway with this many servers. They are listed
 * once; after that they are only requested when the test wants it.
 */
export async function openServersWindow(
  extension: string,
  count: number,
  options: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly environment?: Readonly<Record<string, string>>;
    /** The record of a server, changed before the first list. */
    change?(server: Record<string, unknown>, index: number): Record<string, unknown>;
  } = {},
): Promise<{ readonly gateway: ServersGateway; readonly window: TestWindow }> {
  const gateway = await startServersGateway(count);
  const { change = (server) => server } = options;
  gateway.servers.splice(0, count, ...gateway.servers.map(change));
  const settings = {
    "inferenceGateway.servers.refreshInterval": 0,
    "inferenceGateway.maxAttempts": 1,
    "inferenceGateway.profiles": [
      { name: "Fleet", gatewayUrl: gateway.url, gatewayCredential: "sessionToken" },
    ],
    ...options.settings,
  };
  const window = await TestWindow.open({
    ...{ server: { settings }, extension },
    ...(options.environment === undefined ? {} : { environment: options.environment }),
  });
  const { workbench } = window;
  await workbench.openContainer("Inference Gateway");
  await workbench.runFromPicker("Set Credential…", "Session Token");
  await workbench.quickInput.answer("session-token-of-the-test");
  await workbench.treeRows("GPU Servers").filter({ hasText: "trainer-00000" }).first().waitFor();
  return { gateway, window };
}

import { startServersGateway } from "../support/serversGateway.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import type { SshLab } from "../support/sshLab.ts";
import { TestWindow } from "./testWindow.ts";

interface ServersWindowOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Folders of further extensions. */
  readonly extensions?: readonly string[];
  /** The workspace; empty by default. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The record of a server, changed before the first list. */
  change?(server: Record<string, unknown>, index: number): Record<string, unknown>;
}

interface ServersWindow {
  readonly gateway: ServersGateway;
  readonly window: TestWindow;
}

/**
 * Opens a window with the extension in this folder and a profile for a gateway with this many servers. They are listed
 * once; after that they are only requested when the test wants it.
 */
export async function openServersWindow(
  extension: string,
  count: number,
  options: ServersWindowOptions = {},
): Promise<ServersWindow> {
  const gateway = await startServersGateway(count);
  const { change = (server) => server, extensions = [], folder, environment } = options;
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
    ...{ server: { settings, extensions }, extension },
    ...(folder === undefined ? {} : { folder }),
    ...(environment === undefined ? {} : { environment }),
  });
  try {
    const { workbench } = window;
    await workbench.openContainer("Inference Gateway");
    await workbench.runFromPicker("Set Credential…", "Session Token");
    await workbench.quickInput.answer("session-token-of-the-test");
    const [first] = gateway.servers;
    await workbench
      .treeRows("GPU Servers")
      .filter({ hasText: String(first?.["name"]) })
      .first()
      .waitFor();
    return { gateway, window };
  } catch (error) {
    // The test has nothing that it could close.
    await window.close();
    await gateway.close();
    throw error;
  }
}

/** The same for one server, `trainer-08`, which is the lab's and is reached with its `ssh`. */
export async function openLabWindow(
  extension: string,
  lab: SshLab,
  options: ServersWindowOptions = {},
): Promise<ServersWindow> {
  const { host, user, port } = lab.target;
  return openServersWindow(extension, 1, {
    ...options,
    change: (server, index) => {
      const record = { ...server, name: "trainer-08", public_ip: host, ssh_user: user, ssh_port: port };
      return options.change?.(record, index) ?? record;
    },
    environment: { ...options.environment, PATH: lab.path },
  });
}

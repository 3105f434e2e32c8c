import { startServersGateway } from "../support/serversGateway.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import type { SshLab } from "../support/sshLab.ts";
import { shareWindow } from "./sharedWindow.ts";
import { TestWindow } from "./testWindow.ts";
import type { Workbench } from "./workbench.ts";

/** What the window of other suites can be used with. */
interface Fleet {
  /** The name of the profile. */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The record of a server, changed before the first list. */
  change?(server: Record<string, unknown>, index: number): Record<string, unknown>;
}

interface ServersWindowOptions extends Fleet {
  /** Folders of further extensions. */
  readonly extensions?: readonly string[];
  /** The workspace; empty by default. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
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
  const { gateway, settings } = await startFleet(count, options);
  const { extensions = [], folder, environment } = options;
  const window = await TestWindow.open({
    ...{ server: { settings, extensions }, extension },
    ...(folder === undefined ? {} : { folder }),
    ...(environment === undefined ? {} : { environment }),
  });
  try {
    await listServers(window.workbench, gateway);
    return { gateway, window };
  } catch (error) {
    // The test has nothing that it could close.
    await window.close();
    await gateway.close();
    throw error;
  }
}

/**
 * The same in a window that other suites use, too, for the tests of the surrounding suite. Their profiles have other
 * names, because the last known rows of a profile are shown until its servers are listed.
 */
export function shareServersWindow(
  extension: string,
  count: number,
  options: Fleet & { readonly name: string },
  use: (opened: ServersWindow) => void,
): void {
  let gateway: ServersGateway | undefined;
  shareWindow(
    extension,
    async () => {
      const fleet = await startFleet(count, options);
      ({ gateway } = fleet);
      return fleet.settings;
    },
    async (window) => {
      if (gateway === undefined) return;
      await listServers(window.workbench, gateway);
      use({ gateway, window });
    },
  );
  after(() => gateway?.close());
}

async function startFleet(
  count: number,
  { name = "Fleet", settings, change = (server) => server }: Fleet,
): Promise<{ readonly gateway: ServersGateway; readonly settings: Readonly<Record<string, unknown>> }> {
  const gateway = await startServersGateway(count);
  gateway.servers.splice(0, count, ...gateway.servers.map(change));
  return {
    gateway,
    settings: {
      "inferenceGateway.servers.refreshInterval": 0,
      "inferenceGateway.maxAttempts": 1,
      "inferenceGateway.profiles": [{ name, gatewayUrl: gateway.url, gatewayCredential: "sessionToken" }],
      ...settings,
    },
  };
}

async function listServers(workbench: Workbench, { servers: [first] }: ServersGateway): Promise<void> {
  await workbench.openContainer("Inference Gateway");
  await workbench.runFromPicker("Set Credential…", "Session Token");
  await workbench.quickInput.answer("session-token-of-the-test");
  await workbench
    .treeRows("GPU Servers")
    .filter({ hasText: String(first?.["name"]) })
    .first()
    .waitFor();
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

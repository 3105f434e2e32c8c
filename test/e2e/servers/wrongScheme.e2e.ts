import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { settingsFile } from "../../host/editSettings.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startServersGateway } from "../../support/serversGateway.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("A gateway whose address has the wrong scheme", () => {
  const { certificate, key } = createAuthority("Somebody").issue(["127.0.0.1"]);
  const secure = createServer({ cert: certificate, key }, (_, response) => response.end("{}"));
  let plain: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  shareWindow(
    root,
    async () => {
      plain = await startServersGateway(3);
      await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
      return {
        "inferenceGateway.servers.refreshInterval": 0,
        "inferenceGateway.maxAttempts": 1,
        "inferenceGateway.profiles": [
          profile("Plain", plain.url.replace("http:", "https:")),
          profile("Secure", `http://127.0.0.1:${securePort()}`),
        ],
      };
    },
    async (opened) => {
      window = opened;
      workbench = window.workbench;
      await workbench.openContainer("Inference Gateway");
    },
  );

  after(async () => {
    await plain.close();
    secure.closeAllConnections();
    secure.close();
  });

  it("is named in the tree, and a click changes https to http", async () => {
    await storeUnchecked("Plain");
    const row = workbench.treeRows("GPU Servers").filter({ hasText: "Use http" }).first();
    await row.click();
    await eventually(() => assert.ok(gatewayUrls().includes(plain.url)));
    assert.equal(await workbench.dialog.count(), 0);
  });

  it("is named in the tree, and a click changes http to https", async () => {
    await storeUnchecked("Secure");
    const row = workbench.treeRows("GPU Servers").filter({ hasText: "Use https" }).first();
    await row.click();
    await eventually(() => assert.ok(gatewayUrls().includes(`https://127.0.0.1:${securePort()}`)));
    assert.ok(gatewayUrls().includes(plain.url), "The other profile has changed.");
  });

  /** The server can't be asked about the token. */
  async function storeUnchecked(name: string): Promise<void> {
    await workbench.runCommand("Inference Gateway: Select Profile…");
    await workbench.quickInput.pick(name);
    await workbench.runFromPicker("Set Credential…", "Session Token");
    await workbench.quickInput.answer(`session-token-of-${name}`);
    await workbench.answerDialog("Store Anyway");
  }

  function securePort(): number {
    return (secure.address() as AddressInfo).port;
  }

  function gatewayUrls(): readonly string[] {
    const settings = JSON.parse(readFileSync(settingsFile(window.server), "utf8"));
    return settings["inferenceGateway.profiles"].map(({ gatewayUrl }: { gatewayUrl: string }) => gatewayUrl);
  }
});

function profile(name: string, gatewayUrl: string) {
  return { name, gatewayUrl, gatewayCredential: "sessionToken" };
}

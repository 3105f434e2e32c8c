import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("Everyday features", () => {
  let gateway: RunningLocalGateway;
  let workbench: Workbench;

  shareWindow(
    root,
    async () => {
      gateway = await startLocalGateway({ tokensPerSecond: 200 });
      const script = join(mkdtempSync(join(tmpdir(), "everyday-")), "print-key.sh");
      writeFileSync(script, `#!/bin/sh\necho ${gateway.credentials.apiKey}\n`);
      chmodSync(script, 0o700);
      const profile = {
        name: "Lab",
        inferenceBaseUrl: gateway.inferenceBaseUrl,
        gatewayUrl: gateway.gatewayUrl,
        credentialCommand: [script],
        consoleUrl: "https://console.example",
      };
      return {
        "inferenceGateway.profiles": [profile],
        "inferenceGateway.chat.openIn": "editor",
        "inferenceGateway.chat.generateTitles": false,
      };
    },
    (window) => void ({ workbench } = window),
  );

  after(() => gateway.stop());

  const chat = () => workbench.chatView();

  it("ask once before a command of the profile supplies its credential", async () => {
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.dialog.getByText("Run this command to get the API key for the profile “Lab”?").waitFor();
    await workbench.answerDialog("Allow");
    await workbench.selectModel("demo-lab/echo-omni");
    await chat().send("Hello there");
    await chat().lastArticle.getByText("Hello there").waitFor();
    await chat().waitUntilAnswered();
  });

  it("offer the console's page in the box for a key", async () => {
    await workbench.runFromPicker("Set Credential…", "Access Key");
    await workbench.page.locator(".quick-input-titlebar [aria-label='Create a Key…']").waitFor();
    await workbench.page.locator(".quick-input-widget").getByText("In the console: ").waitFor();
    await workbench.quickInput.dismiss();
  });

  it("send a request of the user's own", async () => {
    const { quickInput } = workbench;
    await workbench.runFromPicker("Manage Profile…", "Send Request…");
    await quickInput.pick("Inference API · Lab");
    await quickInput.pick("GET");
    await quickInput.input.fill("/models");
    await quickInput.input.press("Enter");
    await workbench.page.locator(".quick-input-widget").getByText("Query parameters").waitFor();
    await quickInput.input.press("Enter");
    await workbench.dialog.getByText("Send this GET request to “Lab”?").waitFor();
    await workbench.answerDialog("Send");
    await workbench.editorTab("GET").waitFor();
  });
});

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Everyday features", () => {
  let gateway: RunningLocalGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), "everyday-"));
    gateway = await startLocalGateway({ tokensPerSecond: 200 });
    const script = join(folder, "print-key.sh");
    writeFileSync(script, `#!/bin/sh\necho ${gateway.credentials.apiKey}\n`);
    chmodSync(script, 0o700);
    const profile = {
      name: "Lab",
      inferenceBaseUrl: gateway.inferenceBaseUrl,
      gatewayUrl: gateway.gatewayUrl,
      credentialCommand: [script],
      consoleUrl: "https://console.example",
    };
    const settings = {
      "inferenceGateway.profiles": [profile],
      "inferenceGateway.chat.openIn": "editor",
      "inferenceGateway.chat.generateTitles": false,
    };
    window = await TestWindow.open({
      folder,
      server: { settings },
      extension: root,
    });
    workbench = window.workbench;
  });

  after(async () => {
    await window.close();
    await gateway.stop();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

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

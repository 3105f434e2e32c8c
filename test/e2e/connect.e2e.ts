import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { waitForNotification, waitForStatus } from "../host/notifications.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const remoteSsh = fileURLToPath(new URL("../fixtures/remote-ssh-extension", import.meta.url));
const ownConfig = "# mine\r\nHost home\r\n    User me\r\n";
const secret = "hunter2-hunter2";

/**
 * Replaces ssh: runs the command, which is the last argument, on this machine, whatever the address is. Refuses its
 * configuration while there is a file named "refuse" next to it.
 */
const fakeSsh = `#!${process.execPath}
const { spawn } = require("node:child_process");
if (process.argv.includes("-G")) {
  const isRefused = require("node:fs").existsSync(__dirname + "/refuse");
  if (isRefused) process.stderr.write("Bad owner or permissions on servers.config\\r\\n");
  process.exitCode = isRefused ? 255 : 0;
} else {
  const env = { ...process.env, PATH: __dirname + ":" + process.env.PATH };
  spawn("/bin/sh", ["-c", process.argv.at(-1)], { stdio: "inherit", env }).on("exit", (code) => process.exit(code));
}
`;

/** Replaces the tool of NVIDIA's driver: two GPUs, one of which doesn't report its power. */
/** Like the tool, it reports once unless it is told to repeat. */
const fakeNvidiaSmi = `#!/bin/sh
while :; do
  echo "0, 42, 10240, 81559, 50, 312.5, NVIDIA H100"
  echo "1, 44, 20480, 81559, 51, [N/A], NVIDIA H100"
  case "$*" in *" -l "*) sleep 1 ;; *) exit ;; esac
done
`;

/**
 * A GPU cloud whose servers are on this machine: one accepts connections, the other one doesn't, and each has a port
 * for its models.
 */
class Cloud {
  readonly #ssh: Server = createServer((socket) => socket.destroy());
  /** Bodies of the requests to the models. */
  readonly asked: string[] = [];
  readonly apiKey = "own-endpoint-key";
  #web: TestServer | undefined;
  #port = 0;
  #closedPort = 0;

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#ssh.listen(0, "127.0.0.1", resolve));
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    this.#closedPort = portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    this.#web = await startServer((request, response) => {
      const { url = "", headers } = request;
      response.setHeader("content-type", "application/json");
      if (url.startsWith("/gpu/api/v1/servers")) return void response.end(JSON.stringify(this.#records()));
      const isWelcome = headers.authorization === `Bearer ${this.apiKey}`;
      if (url === "/v1/models" && isWelcome) return void response.end('{"data":[{"id":"acme/own-model"}]}');
      if (url === "/v1/chat/completions" && isWelcome) return void this.#answer(request, response);
      response.statusCode = url === "/v1/models" ? 401 : 404;
      response.end("{}");
    });
    this.#port = Number(new URL(this.#web.url).port);
  }

  get url(): string {
    return this.#web?.url ?? "";
  }

  get port(): number {
    return this.#port;
  }

  async stop(): Promise<void> {
    await this.#web?.close();
    this.#ssh.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(await readRequestBody(request));
    response.setHeader("content-type", "text/event-stream");
    response.end('data: {"choices":[{"delta":{"content":"It is the disk."}}]}\n\ndata: [DONE]\n\n');
  }

  #records(): unknown {
    const ports = [{ port: this.#port, type: "http", name: "vllm" }];
    const common = { status: "running", public_ip: "127.0.0.1", ssh_user: "ubuntu", ports };
    return [
      {
        ...common,
        id: "i-open",
        name: "Trainer *\nHost evil",
        ssh_port: portOf(this.#ssh),
        admin_password: secret,
      },
      // An address reserved for documentation. SSH uses a different one.
      {
        ...common,
        id: "i-far",
        name: "far",
        public_ip: "198.51.100.7",
        ssh_host: "127.0.0.1",
        ssh_port: portOf(this.#ssh),
      },
      { ...common, id: "i-closed", name: "locked", ssh_port: this.#closedPort },
    ];
  }
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("Connecting to a server", () => {
  const cloud = new Cloud();
  const configPath = join(mkdtempSync(join(tmpdir(), "ssh-")), "config");
  const binaries = mkdtempSync(join(tmpdir(), "bin-"));
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    await cloud.start();
    writeFileSync(configPath, ownConfig);
    writeFileSync(join(binaries, "ssh"), fakeSsh, { mode: 0o755 });
    writeFileSync(join(binaries, "nvidia-smi"), fakeNvidiaSmi, { mode: 0o755 });
    const path = { PATH: `${binaries}:${process.env["PATH"] ?? ""}` };
    const profile = { name: "Mine", gatewayUrl: cloud.url, gatewayCredential: "sessionToken" };
    window = await TestWindow.open({
      server: {
        settings: {
          "inferenceGateway.profiles": [profile],
          "inferenceGateway.servers.refreshInterval": 0,
          "remote.SSH.configFile": configPath,
          "terminal.integrated.env.linux": path,
          "terminal.integrated.env.osx": path,
        },
        extensions: [remoteSsh],
      },
      extension: root,
      environment: path,
    });
    workbench = window.workbench;
    await workbench.openContainer("Inference Gateway");
    await workbench.runFromPicker("Set Credential…", "Session Token");
    await workbench.quickInput.answer("a-session-token");
    await row("locked").waitFor();
  });

  after(async () => {
    await window.close();
    await cloud.stop();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const row = (name: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: name }).first();

  const choose = (name: string, ...path: string[]): Promise<void> =>
    chooseInMenu(workbench, row(name), ...path);

  const hostsFile = (): string => {
    const found = readdirSync(window.server.dataFolder, { recursive: true, encoding: "utf8" });
    return join(window.server.dataFolder, found.find((name) => name.endsWith("servers.config")) ?? "");
  };

  it("shows the GPUs of a watched server in its row and below it until watching is stopped", async () => {
    await choose("far", "Watch");
    await row("far").getByText("43% · 30/159 GB").waitFor();
    await row("far").click();
    await workbench.page.keyboard.press("ArrowRight");
    await row("GPU 1").getByText("44% · 20/80 GB · 51 °C").waitFor();
    await choose("far", "Unwatch");
    await row("GPU 1").waitFor({ state: "detached" });
    await row("far").getByText("43%").waitFor({ state: "detached" });
  });

  it("warns that a port is closed before connecting, and lets the user decide", async () => {
    await choose("locked", "Open with Remote-SSH");
    await workbench.dialog
      .getByText(/^127\.0\.0\.1 is reachable, but nothing is listening on port \d+:/)
      .waitFor();
    await workbench.dialog.getByRole("button", { name: "Connect Anyway" }).waitFor();
    await workbench.answerDialog("Cancel");
    assert.equal(readFileSync(configPath, "utf8"), ownConfig);
  });

  it("takes its line away again if ssh refuses the configuration with it, so that no other host is lost", async () => {
    writeFileSync(join(binaries, "refuse"), "");
    await choose("Trainer", "Open with Remote-SSH");
    await workbench.dialog.getByText("Add one line to your SSH configuration?").waitFor();
    await workbench.answerDialog("Add Line");
    await waitForNotification(workbench, "Bad owner or permissions on servers.config");
    assert.equal(readFileSync(configPath, "utf8"), ownConfig);
    rmSync(join(binaries, "refuse"));
  });

  it("opens a window over SSH after the user agrees to add one line to the SSH configuration", async () => {
    await choose("Trainer", "Open with Remote-SSH");
    await workbench.dialog.getByText("Add one line to your SSH configuration?").waitFor();
    assert.equal(readFileSync(configPath, "utf8"), ownConfig);
    const opened = workbench.page.context().waitForEvent("page");
    await workbench.answerDialog("Add Line");
    await (await opened).close();
    await eventually(() =>
      assert.match(
        readFileSync(configPath, "utf8"),
        /^Include \S+servers\.config\r\n# mine\r\nHost home\r\n {4}User me\r\n$/,
      ),
    );
    assert.match(
      readFileSync(hostsFile(), "utf8"),
      /^Host trainer-host-evil-[0-9a-f]{8}\n {4}HostName 127\.0\.0\.1\n {4}Port \d+\n {4}User ubuntu\n {4}CanonicalizeHostname yes\n {4}HostKeyAlias inference-gateway-[0-9a-f]{16}\n/m,
    );
    assert.equal(statSync(hostsFile()).mode & 0o777, 0o600);
  });

  it("opens a folder again that was open there, and no other server's", async () => {
    const openRecent = (): Promise<void> => choose("Trainer", "Open Recent Folder…");
    await openRecent();
    await waitForStatus(workbench, "has been open in VS Code yet.");
    const [, alias = ""] = /^Host (\S+)$/m.exec(readFileSync(hostsFile(), "utf8")) ?? [];
    for (const [host, path] of [
      [alias, "/home/ubuntu/nano%20gpt"],
      [`${alias}0`, "/home/other"],
    ]) {
      await workbench.runCommand("Remember Folder");
      await workbench.quickInput.answer(`vscode-remote://ssh-remote%2B${host}${path}`);
    }
    await openRecent();
    const first = workbench.quickInput.rows.first();
    await first.getByText("/home/ubuntu/nano gpt").waitFor();
    assert.equal(await workbench.quickInput.rows.count(), 1);
    const opened = workbench.page.context().waitForEvent("page");
    await first.click();
    const page = await opened;
    // In a browser, VS Code leaves out that it is on another machine.
    await eventually(() =>
      assert.match(decodeURIComponent(page.url()), /folder=\S*\/home\/ubuntu\/nano gpt/),
    );
    await page.close();
  });

  it("restores the user's SSH configuration when the hosts are removed", async () => {
    await workbench.runCommand("Inference Gateway: Remove GPU Servers from SSH Configuration");
    await waitForStatus(workbench, "Nothing else was changed.");
    assert.equal(readFileSync(configPath, "utf8"), ownConfig);
  });

  it("attaches the server's facts to a chat, without its secrets", async () => {
    await choose("Trainer", "Add Server to Chat");
    const chat = workbench.chatView();
    const chip = chat.frame.getByRole("button", {
      name: /^Open GPU server Trainer \* Host evil, ≈ \d+ tokens$/,
    });
    await chip.click();
    await workbench.editorTab("GPU server Trainer").waitFor();
    const shown = workbench.page.locator(".editor-instance .view-lines");
    await shown.getByText("addresses").waitFor();
    assert.doesNotMatch((await shown.textContent()) ?? "", /admin_password/);
    assert.doesNotMatch((await shown.textContent()) ?? "", new RegExp(secret));
    await chat.messageBox.pressSequentially("Why is it so slow? #server:lock");
    await chat.frame.getByRole("option", { name: /^locked Running/ }).click();
    await chat.frame.getByRole("button", { name: /^Open GPU server locked, / }).waitFor();
    await eventually(async () => assert.equal(await chat.messageBox.inputValue(), "Why is it so slow? "));
  });

  it("uses the server's models after listing them, with a profile for them", async () => {
    const { quickInput } = workbench;
    await choose("Trainer", "Use a Model That Runs Here…");
    await quickInput.pick("Choose another port or address…");
    await quickInput.pick("1234");
    await workbench.dialog.getByText("No models were found at http://127.0.0.1:1234/v1.").waitFor();
    await workbench.answerDialog("Choose Another Port");
    await quickInput.pick(String(cloud.port));
    await workbench.page.getByText(/^The endpoint requires an API key\./).waitFor();
    await quickInput.answer("a-wrong-key");
    await workbench.page.getByText(/^Invalid API key\./).waitFor();
    await quickInput.answer(cloud.apiKey);
    await workbench.page
      .locator(".part.statusbar")
      .getByText("Trainer * Host evil · acme/own-model")
      .waitFor();
    await workbench.editorTab("New Chat").nth(1).waitFor();
    await workbench.runCommand("View: Close Editor");
    const chat = workbench.chatView();
    await chat.frame.getByRole("button", { name: /^Model: acme\/own-model/ }).waitFor();
    await chat.messageBox.press("Enter");
    await chat.articles.nth(1).getByText("It is the disk.").waitFor();
    const [asked = ""] = cloud.asked;
    assert.match(asked, /GPU server `Trainer \* Host evil` of the profile `Mine`: facts that the gateway/);
    assert.ok(!asked.includes(secret));
    const settings = await eventually(() => {
      const text = readFileSync(join(window.server.dataFolder, "data/User/settings.json"), "utf8");
      assert.match(
        text,
        /"name": "Trainer \* Host evil",\s*"inferenceBaseUrl": "http:\/\/127\.0\.0\.1:\d+\/v1"\s*\}/,
      );
      return text;
    });
    assert.ok(!settings.includes(cloud.apiKey));
  });
});

import assert from "node:assert/strict";
import type { Credential } from "../../../../src/core/kernel/credential.ts";
import type {
  LocalGateway,
  LocalGatewayHost,
} from "../../../../src/core/account/localGateway/localGateway.ts";
import { localGatewayPort } from "../../../../src/core/account/localGateway/localGateway.ts";
import { eventually } from "../../../support/eventually.ts";
import { LocalGatewayControl } from "../../../../src/core/account/localGateway/localGatewayControl.ts";

const asked = { isAutomatic: false };
const automatic = { isAutomatic: true };
const usual = `http://127.0.0.1:${localGatewayPort}`;
const cloud = { name: "Cloud", inferenceBaseUrl: "https://a.example/v1" };

/** Settings, secrets and sockets of one window, with a note of everything that happens. */
class Window implements LocalGatewayHost {
  settings: unknown = [];
  readonly profiles = this;
  activeName = "";
  previous: string | undefined;
  /** The gateway of another window on the port that is taken. */
  other: LocalGateway | undefined;
  takenPort: number | undefined;
  isReadOnly = false;
  readonly log: string[] = [];
  readonly credentials: Credential[] = [];
  readonly control = new LocalGatewayControl(this);

  readonly start = (port: number): Promise<LocalGateway> => {
    if (port === this.takenPort) return Promise.reject(new Error("EADDRINUSE"));
    const origin = `http://127.0.0.1:${port === 0 ? 4321 : port}`;
    this.log.push(`listen ${origin}`);
    return Promise.resolve({
      inferenceBaseUrl: `${origin}/v1`,
      gatewayUrl: origin,
      credentials: {
        apiKey: "CANARY-1",
        accessKey: "CANARY-2",
        apiSecret: "CANARY-3",
        sessionToken: "CANARY-4",
        stsToken: "CANARY-5",
      },
      stop: () => {
        this.log.push("close");
        return Promise.resolve();
      },
    });
  };

  join(port: number): Promise<LocalGateway | undefined> {
    return Promise.resolve(port === this.takenPort ? this.other : undefined);
  }

  readRaw(): unknown {
    return this.settings;
  }

  writeRaw(value: readonly unknown[]): Promise<void> {
    if (this.isReadOnly) return Promise.reject(new Error("Settings can't be written."));
    this.log.push(`profiles after ${this.credentials.length} credentials`);
    this.settings = value;
    return Promise.resolve();
  }

  select(name: string): Promise<void> {
    this.activeName = name;
    return Promise.resolve();
  }

  storeCredential(_: unknown, credential: Credential): Promise<void> {
    this.credentials.push(credential);
    return Promise.resolve();
  }

  readPrevious(): string | undefined {
    return this.previous;
  }

  writePrevious(name: string | undefined): Promise<void> {
    this.previous = name;
    return Promise.resolve();
  }
}

/** A window that finds the gateway of another one on the usual port. */
function joined(): { window: Window; finish: (end: "stopped" | "dead") => void } {
  const window = new Window();
  let finish: (end: "stopped" | "dead") => void = () => undefined;
  const ended = new Promise<"stopped" | "dead">((resolve) => (finish = resolve));
  window.takenPort = localGatewayPort;
  window.other = { inferenceBaseUrl: `${usual}/v1`, gatewayUrl: usual, ended, stop: () => Promise.resolve() };
  return { window, finish };
}

describe("LocalGatewayControl", () => {
  it("creates its profile, and stores the secrets before the addresses are visible", async () => {
    const window = new Window();
    await window.control.start(asked);
    assert.deepEqual(window.settings, [
      {
        name: "Local gateway",
        inferenceBaseUrl: "http://127.0.0.1:47913/v1",
        gatewayUrl: usual,
      },
    ]);
    assert.deepEqual(window.log, ["listen http://127.0.0.1:47913", "profiles after 4 credentials"]);
    assert.deepEqual(
      window.credentials.map(({ kind }) => kind),
      ["apiKey", "accessKey", "sessionToken", "stsToken"],
    );
    assert.equal(window.activeName, "Local gateway");
  });

  it("writes no secret into settings or extension state", async () => {
    const window = new Window();
    await window.control.start(asked);
    assert.ok(!JSON.stringify([window.settings, window.previous, window.activeName]).includes("CANARY"));
  });

  it("keeps the user's changes to its profile", async () => {
    const window = new Window();
    window.settings = [
      { name: "Local gateway", gatewayCredential: "stsToken", gatewayUrl: "http://127.0.0.1:9" },
    ];
    await window.control.start(asked);
    assert.deepEqual(window.settings, [
      {
        name: "Local gateway",
        gatewayCredential: "stsToken",
        gatewayUrl: usual,
        inferenceBaseUrl: `${usual}/v1`,
      },
    ]);
  });

  it("restores the previously active profile on stop", async () => {
    for (const before of ["Cloud", ""]) {
      const window = new Window();
      window.settings = [cloud];
      window.activeName = before;
      await window.control.start(asked);
      assert.equal(window.activeName, "Local gateway");
      await window.control.stop();
      assert.equal(window.activeName, before);
      assert.deepEqual(window.settings, [cloud]);
      assert.equal(window.control.running, undefined);
    }
  });

  it("restores the previous profile even if VS Code was restarted in between", async () => {
    const window = new Window();
    window.settings = [cloud];
    await window.control.start(asked);
    const restarted = new LocalGatewayControl(window);
    await restarted.start(asked);
    await restarted.stop();
    assert.equal(window.activeName, "");
  });

  it("leaves another profile alone on stop if the user selected it", async () => {
    const window = new Window();
    window.settings = [cloud, { ...cloud, name: "Second" }];
    await window.control.start(asked);
    window.activeName = "Second";
    await window.control.stop();
    assert.equal(window.activeName, "Second");
  });

  it("doesn't replace the active profile when it starts automatically", async () => {
    const window = new Window();
    window.settings = [cloud];
    await window.control.start(automatic);
    assert.equal(window.activeName, "");
    assert.ok(window.control.running);
  });

  it("becomes the active profile after an automatic start if there is no other", async () => {
    const window = new Window();
    await window.control.start(automatic);
    assert.equal(window.activeName, "Local gateway");
  });

  it("uses the usual port, that of its profile, or any other if another program has taken it", async () => {
    const window = new Window();
    assert.equal((await window.control.start(asked)).gatewayUrl, usual);
    const earlier = new Window();
    earlier.settings = [{ name: "Local gateway", inferenceBaseUrl: "http://127.0.0.1:5555/v1" }];
    assert.equal((await earlier.control.start(asked)).gatewayUrl, "http://127.0.0.1:5555");
    const other = new Window();
    other.takenPort = localGatewayPort;
    assert.equal((await other.control.start(asked)).gatewayUrl, "http://127.0.0.1:4321");
  });

  it("joins the gateway of another window without replacing its credentials or stopping it", async () => {
    const { window } = joined();
    const { gatewayUrl } = await window.control.start(asked);
    assert.equal(gatewayUrl, usual);
    assert.deepEqual(window.credentials, []);
    assert.equal(window.activeName, "Local gateway");
    await window.control.stop();
    assert.deepEqual(window.log, ["profiles after 0 credentials"]);
    assert.equal(window.activeName, "");
  });

  it("continues the gateway on the same port when the window that ran it is gone, unless the user stopped it", async () => {
    for (const end of ["dead", "stopped"] as const) {
      const { window, finish } = joined();
      await window.control.start(asked);
      window.takenPort = undefined;
      finish(end);
      const listens = (): boolean => window.log.includes(`listen ${usual}`);
      await eventually(() => {
        if (end === "dead") assert.ok(window.control.running?.credentials);
        else assert.equal(window.control.running, undefined);
      });
      assert.equal(listens(), end === "dead");
    }
  });

  it("reports that no port is free, and changes nothing", async () => {
    const window = new Window();
    window.takenPort = 0;
    window.settings = [{ name: "Local gateway", inferenceBaseUrl: "http://127.0.0.1:0/v1" }];
    await assert.rejects(window.control.start(asked), /EADDRINUSE/);
    assert.equal(window.control.running, undefined);
    assert.deepEqual(window.log, []);
  });

  it("closes the server again if the settings can't be written", async () => {
    const window = new Window();
    window.isReadOnly = true;
    await assert.rejects(window.control.start(asked), /can't be written/);
    assert.equal(window.log.at(-1), "close");
    assert.equal(window.control.running, undefined);
  });

  it("runs only once, however often and fast it is started and stopped", async () => {
    const window = new Window();
    const { control } = window;
    await Promise.all([control.start(asked), control.start(asked), control.stop(), control.stop()]);
    assert.equal(window.log.filter((line) => line.startsWith("listen")).length, 1);
    assert.equal(window.log.filter((line) => line === "close").length, 1);
  });
});

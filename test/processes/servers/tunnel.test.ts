import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import type { Server, Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import type { SshTarget } from "../../../src/core/servers/connect/sshTarget.ts";
import { SshTunnel } from "../../../src/processes/servers/tunnel.ts";
import type { TunnelState } from "../../../src/processes/servers/tunnel.ts";
import { eventually } from "../../support/eventually.ts";
import { SshLab } from "../../support/sshLab.ts";

describe("A tunnel to a port of a server", function () {
  this.timeout(90_000);
  let lab: SshLab;
  let service: Server;
  let port = 0;
  let own = "";
  const temporary = tmpdir();
  const open: (SshTunnel | Server)[] = [];

  before(async function () {
    lab = await SshLab.openHere(this);
    own = mkdtempSync(join(temporary, "tunnels-"));
    process.env["TMPDIR"] = own;
    service = await listen(0, (socket) => socket.pipe(socket));
    port = portOf(service);
  });
  afterEach(async () => {
    for (const each of open.splice(0))
      if (each instanceof SshTunnel) each.stop();
      else each.close();
    await nothingLeft();
  });
  after(async () => {
    process.env["TMPDIR"] = temporary;
    rmSync(own, { recursive: true, force: true });
    service?.close();
    await lab?.close();
  });

  const nothingLeft = (): Promise<void> =>
    eventually(() =>
      assert.deepEqual([lab.processes(), lab.sessionProcesses(), readdirSync(own)], [[], [], []]),
    );

  type Options = Partial<Parameters<typeof SshTunnel.open>[0]> & { readonly states?: TunnelState[] };

  const attempt = ({ states, ...options }: Options = {}): ReturnType<typeof SshTunnel.open> =>
    SshTunnel.open({
      placeOf: () => Promise.resolve({ target: lab.target }),
      remote: { host: "localhost", port },
      onChange: (state) => states?.push(state),
      ...options,
    });

  async function forward(options: Options = {}): Promise<SshTunnel> {
    const tunnel = await attempt(options);
    assert.ok(tunnel instanceof SshTunnel, JSON.stringify(tunnel));
    open.push(tunnel);
    return tunnel;
  }

  it("passes bytes both ways on the next free port, for this machine only, and leaves nothing behind", async () => {
    const tunnel = await forward();
    // The service itself has the port with its number.
    assert.equal(tunnel.localPort, port + 1);
    const bytes = Buffer.alloc(3_000_000, "0123456789 ü");
    assert.deepEqual(await send(tunnel.localPort, bytes), bytes);
    const outside = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal);
    if (outside !== undefined)
      await assert.rejects(once(connect(tunnel.localPort, outside.address), "connect"), /ECONNREFUSED/);
    tunnel.stop();
    await nothingLeft();
    await assert.rejects(once(connect(tunnel.localPort, "127.0.0.1"), "connect"), /ECONNREFUSED/);
  });

  it("keeps its port while the connection is cut, and holds a request until it is back", async () => {
    const states: TunnelState[] = [];
    const tunnel = await forward({ states });
    const lost = once(connect(tunnel.localPort, "127.0.0.1"), "close");
    await eventually(() => assert.equal(lab.sessionProcesses().length > 0, true));
    lab.signalSessions("SIGKILL");
    await eventually(() => assert.deepEqual(states.at(-1), { kind: "waiting", problem: "lost" }));
    await lost;
    assert.deepEqual(await send(tunnel.localPort, Buffer.from("held")), Buffer.from("held"));
    assert.deepEqual(states.at(-1), { kind: "open" });
  });

  it("does the same when the connection is stalled", async () => {
    const program = readFileSync(lab.program, "utf8");
    lab.write("client/ssh", program.replace("/usr/bin/ssh", "/usr/bin/ssh -o ServerAliveInterval=1"));
    try {
      const states: TunnelState[] = [];
      const tunnel = await forward({ states });
      lab.signalSessions("SIGSTOP");
      await eventually(() => assert.equal(states.at(-1)?.kind, "waiting"));
      lab.signalSessions("SIGCONT");
      assert.deepEqual(await send(tunnel.localPort, Buffer.from("back")), Buffer.from("back"));
    } finally {
      lab.write("client/ssh", program);
    }
  });

  it("takes another port in a second window, and the first one again once it is free", async () => {
    const [first, second] = [await forward(), await forward()];
    assert.deepEqual([first.localPort, second.localPort], [port + 1, port + 2]);
    first.stop();
    assert.deepEqual(await send(second.localPort, Buffer.from("second")), Buffer.from("second"));
    assert.equal((await forward()).localPort, first.localPort);
  });

  it("counts a port as taken that another program has at the other address of localhost", async () => {
    const six = await listen(port + 1, (socket) => socket.destroy(), "::1").catch(() => undefined);
    if (six === undefined) return;
    open.push(six);
    assert.equal((await forward()).localPort, port + 2);
  });

  it("works beside forwardings in the user's configuration that are in use, and doesn't take those that are free", async () => {
    const config = join(lab.clientFolder, "config");
    const before = readFileSync(config, "utf8");
    const taken = await listen(0, (socket) => socket.destroy());
    open.push(taken);
    const free = await freePort();
    appendFileSync(
      config,
      [
        `  ExitOnForwardFailure yes\n  LocalForward ${portOf(taken)} localhost:${port}`,
        `  LocalForward ${free} localhost:${port}\n  RemoteForward 1 localhost:1`,
        `  ControlMaster auto\n  ControlPath ${lab.clientFolder}/own-%p\n  ControlPersist 60\n`,
      ].join("\n"),
    );
    try {
      const tunnel = await forward();
      assert.deepEqual(await send(tunnel.localPort, Buffer.from("yes")), Buffer.from("yes"));
      await assert.rejects(once(connect(free, "127.0.0.1"), "connect"), /ECONNREFUSED/);
      assert.deepEqual(
        readdirSync(lab.clientFolder).filter((name) => name.startsWith("own-")),
        [],
      );
      tunnel.stop();
      await nothingLeft();
    } finally {
      writeFileSync(config, before);
    }
  });

  it("says when nothing listens on the server's port, until something does", async () => {
    const late = await freePort();
    const states: TunnelState[] = [];
    const tunnel = await forward({
      // The port of this machine has the same number.
      remote: { host: "127.0.0.2", port: late },
      states,
    });
    assert.deepEqual(await send(tunnel.localPort, Buffer.from("early")), Buffer.from(""));
    await eventually(() => assert.deepEqual(states.at(-1), { kind: "open", refusal: "nothingListens" }));
    open.push(await listen(late, (socket) => socket.pipe(socket), "127.0.0.2"));
    assert.deepEqual(await send(tunnel.localPort, Buffer.from("late")), Buffer.from("late"));
    assert.deepEqual(states.at(-1), { kind: "open" });
  });

  it("follows the server to another address, and stops at a key that has changed without accepting it", async () => {
    let target: SshTarget = { ...lab.target, host: "127.0.0.2" };
    const states: TunnelState[] = [];
    const place = (): Promise<{ readonly target: SshTarget }> => Promise.resolve({ target });
    assert.equal(JSON.stringify(await attempt({ placeOf: place })).includes("problem"), true);
    target = lab.target;
    const tunnel = await forward({ placeOf: place, states });
    const known = readFileSync(join(lab.clientFolder, "known_hosts"), "utf8");
    lab.makeKey("host");
    lab.signalSessions("SIGKILL");
    await lab.stop();
    await lab.start();
    await eventually(() => {
      const state = states.at(-1);
      assert.deepEqual([state?.kind, state?.kind === "failed" && state.problem], ["failed", "changedKey"]);
    });
    assert.equal(readFileSync(join(lab.clientFolder, "known_hosts"), "utf8"), known);
    lab.trustHost();
    tunnel.retry();
    await eventually(() => assert.deepEqual(states.at(-1), { kind: "open" }));
  });

  it("ends when the program that opened it is killed, even while a connection is in use", async () => {
    const script = `
      import { SshTunnel } from ${JSON.stringify(join(import.meta.dirname, "../../../src/processes/servers/tunnel.ts"))};
      const tunnel = await SshTunnel.open({
        placeOf: () => Promise.resolve({ target: ${JSON.stringify(lab.target)} }),
        remote: { host: "localhost", port: ${port} },
      });
      console.log(tunnel.localPort);`;
    const window = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [text] = (await once(window.stdout, "data")) as readonly Buffer[];
    const socket = connect(Number(text?.toString()), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("in use");
    await once(socket, "data");
    window.kill("SIGKILL");
    await eventually(() => assert.deepEqual([lab.processes(), lab.sessionProcesses()], [[], []]));
    // What is left of a program that was killed is in the folder for temporary files.
    for (const name of readdirSync(own)) rmSync(join(own, name), { recursive: true });
  });

  it("forwards without a control socket, as on Windows, and can be canceled", async () => {
    const tunnel = await forward({ platform: "win32" });
    assert.deepEqual(await send(tunnel.localPort, Buffer.from("w")), Buffer.from("w"));
    const controller = new AbortController();
    const canceled = attempt({ signal: controller.signal });
    controller.abort();
    assert.equal(await canceled, undefined);
  });
});

/** Sends bytes and the end, and returns what came back. */
async function send(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1" });
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.end(bytes);
  await once(socket, "close");
  return Buffer.concat(parts);
}

async function listen(port: number, take: (socket: Socket) => void, host = "127.0.0.1"): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    take(socket);
  });
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

async function freePort(): Promise<number> {
  const server = await listen(0, () => undefined);
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

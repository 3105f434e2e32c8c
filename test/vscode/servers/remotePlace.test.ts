import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { putSshHost, sshHost } from "../../../src/core/servers/connect/sshHostsFile.ts";
import type { Server } from "../../../src/core/servers/server.ts";
import type * as Module from "../../../src/vscode/servers/connect/remotePlace.ts";
import { sha256Hex } from "../../../src/vscode/shell/digest.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";

describe("A server that was opened with Remote-SSH", function () {
  const folder = mkdtempSync(join(tmpdir(), "ssh hosts "));
  const file = join(folder, "ssh", "servers.config");
  const view = {
    context: { storageUri: { fsPath: folder, path: folder, scheme: "file" } as vscode.Uri },
    originOf: () => "https://gateway.example",
  };
  let place: typeof Module;

  before(async function () {
    if (process.platform === "win32") this.skip();
    installFakeVscode();
    place = await import("../../../src/vscode/servers/connect/remotePlace.ts");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const server = (id: string, host: string, port: number): Server => ({
    key: id,
    status: "running",
    id: { value: id, source: "id" },
    name: { value: "trainer", source: "name" },
    address: { value: host, source: "ip" },
    record: { ssh_port: port },
  });

  it("is found under its new address and port once a list shows them, and others aren't added", async () => {
    const before = server("i-1", "203.0.113.1", 22);
    const target = { host: "203.0.113.1", user: undefined, port: 22 };
    mkdirSync(join(folder, "ssh"));
    writeFileSync(file, putSshHost("", sshHost(before, target, view.originOf(), sha256Hex)).text);
    const alias = await place.aliasOf(view, { server: before, profileName: "Lab" });
    const moved = server("i-1", "203.0.113.9", 2222);
    await place.refreshSshHosts(view, "Lab", [moved, server("i-2", "203.0.113.1", 22)]);
    const text = readFileSync(file, "utf8");
    assert.match(text, /HostName 203\.0\.113\.9\n {4}Port 2222/);
    assert.doesNotMatch(text, /203\.0\.113\.1\b/);
    assert.equal(await place.aliasOf(view, { server: moved, profileName: "Lab" }), alias);
    const found = await place.remotePlaceOf(view, { server: moved, profileName: "Lab" });
    assert.deepEqual([found?.target.host, found?.target.port], ["203.0.113.9", 2222]);
    assert.match(text, new RegExp(`HostKeyAlias ${found?.keyAlias ?? "none"}`));
    const other = server("i-2", "203.0.113.1", 22);
    const foreign = await place.remotePlaceOf(view, { server: other, profileName: "Lab" });
    assert.equal(foreign?.keyAlias, undefined);
  });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Server } from "../../../../src/core/servers/server.ts";
import type { SshHost } from "../../../../src/core/servers/connect/sshHostsFile.ts";
import {
  putSshHost,
  addInclude,
  includeLine,
  removeInclude,
  sshHost,
} from "../../../../src/core/servers/connect/sshHostsFile.ts";
import { sshArguments } from "../../../../src/core/servers/connect/sshSession.ts";
import { sshCommand, sshTargetOf } from "../../../../src/core/servers/connect/sshTarget.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

function hostOf(
  name: string,
  id: string | undefined,
  record: unknown = {},
  address = "203.0.113.7",
): SshHost {
  const server: Server = {
    key: "a",
    status: "running",
    name: { value: name, source: "name" },
    ...(id === undefined ? {} : { id: { value: id, source: "id" } }),
    address: { value: address, source: "ip" },
    record,
  };
  const target = sshTargetOf(server);
  assert.ok(target !== undefined);
  return sshHost(server, target, "https://gateway.example", digest);
}

const hostile = [
  "*",
  "a\nHost *\n  ProxyCommand id",
  "%h%%d ${HOME} $(id) `id`",
  '"; Match exec "id',
  "\u202e\u0000\u2028ProxyCommand id",
  "-oProxyCommand=id",
  "../../etc/passwd",
  "İstanbul 東京",
  "x".repeat(10_000),
  "",
];

describe("The SSH hosts file", () => {
  it("has one block per server, found by its ID even if its name or address changes", () => {
    const first = putSshHost("", hostOf("Trainer 01", "i-1", { ssh_user: "ubuntu", ssh_port: 2222 }));
    assert.match(first.alias, /^trainer-01-[0-9a-f]{8}$/);
    const again = putSshHost(first.text, hostOf("renamed", "i-1", {}, "203.0.113.9"));
    assert.equal(again.alias, first.alias);
    assert.match(
      again.text,
      /HostName 203\.0\.113\.9\n {4}CanonicalizeHostname yes\n {4}HostKeyAlias inference-gateway-[0-9a-f]{16}/,
    );
    assert.equal(again.text.match(/^Host /gm)?.length, 1);
    const other = putSshHost(again.text, hostOf("renamed", "i-2", {}, "203.0.113.9"));
    assert.equal(other.text.match(/^Host /gm)?.length, 2);
    assert.equal(new Set(other.text.match(/HostKeyAlias .*/g)).size, 2);
  });

  it("has no key alias for a server without an ID, since another machine may have the address tomorrow", () => {
    assert.doesNotMatch(putSshHost("", hostOf("a", undefined)).text, /HostKeyAlias/);
  });

  it("contains only generated blocks, whatever the server names are", () => {
    const line =
      /^(?:# .*|Host [a-z0-9-]+| {4}(?:HostName [\w.:-]+|Port \d+|User [\w.-]+|HostKeyAlias [a-z0-9-]+|CheckHostIP no|CanonicalizeHostname yes))?$/;
    let text = "";
    for (const name of hostile) {
      text = putSshHost(text, hostOf(name, name, { ssh_user: name, ssh_host: name, ssh_port: name })).text;
    }
    assert.deepEqual(
      text.split(/[\n\r\u2028]/).filter((each) => !line.test(each)),
      [],
    );
    assert.equal(text.match(/^Host /gm)?.length, hostile.length);
  });

  it("drops lines that someone else added to it", () => {
    const { text } = putSshHost("", hostOf("a", "1"));
    const spoilt = `${text}    ProxyCommand id\nHost *\n    LocalCommand id\n`;
    const { text: fixed } = putSshHost(spoilt, hostOf("b", "2"));
    assert.doesNotMatch(fixed, /Command|Host \*/);
    assert.equal(fixed.match(/^Host /gm)?.length, 2);
  });

  it("is read by ssh as intended, even from a folder with spaces", function () {
    const folder = mkdtempSync(join(tmpdir(), "ssh hosts 'x' "));
    const hosts = join(folder, "servers.config");
    const config = join(folder, "config");
    const { text, alias } = putSshHost("", hostOf("Trainer", "i-1", { ssh_user: "ubuntu", ssh_port: 2222 }));
    writeFileSync(hosts, text, { mode: 0o600 });
    const added = addInclude("Host other\n    User nobody\n", hosts);
    assert.ok(added.state === "done");
    writeFileSync(config, added.text, { mode: 0o600 });
    let told: string;
    try {
      told = execFileSync("ssh", ["-G", "-F", config, alias], { encoding: "utf8" });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return this.skip();
      throw error;
    }
    for (const setting of [
      "hostname 203.0.113.7",
      "port 2222",
      "user ubuntu",
      "hostkeyalias inference-gateway-",
    ]) {
      assert.ok(told.includes(setting), setting);
    }
  });
});

describe("The user's own SSH configuration", () => {
  /** The port that ssh uses with this configuration: in a terminal, for watching, and for Remote-SSH. */
  function portsOf(config: string, record: unknown): readonly (string | undefined)[] | undefined {
    const folder = mkdtempSync(join(tmpdir(), "ssh-own-"));
    const [hosts, own] = [join(folder, "servers.config"), join(folder, "config")];
    const host = hostOf("gpu", "i-1", record);
    const { text, alias } = putSshHost("", host);
    writeFileSync(hosts, text, { mode: 0o600 });
    const added = addInclude(config, hosts);
    assert.ok(added.state === "done");
    writeFileSync(own, added.text, { mode: 0o600 });
    const ports: (string | undefined)[] = [];
    for (const args of [sshCommand(host).split(" ").slice(1), sshArguments({ target: host }), [alias]]) {
      try {
        const told = execFileSync("ssh", ["-G", "-F", own, ...args], { encoding: "utf8", stdio: "pipe" });
        ports.push(/^port (\d+)$/m.exec(told)?.[1]);
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
    }
    return ports;
  }

  for (const [what, config, record, port] of [
    ["decides the port of an address", "Host 203.0.113.*\n    Port 2222\n", {}, "2222"],
    ["decides the port of all hosts", "Host *\n    Port 2222\n", {}, "2222"],
    ["leaves the usual port", "Host *\n    ServerAliveInterval 30\n", {}, "22"],
    ["doesn't change the port of the record", "Host *\n    Port 2222\n", { ssh_port: 41_822 }, "41822"],
    ["doesn't change port 22 of the record", "Host *\n    Port 2222\n", { ssh_port: 22 }, "22"],
  ] as const) {
    it(`${what} for every way to connect`, function () {
      const ports = portsOf(config, record);
      if (ports === undefined) return this.skip();
      assert.deepEqual(ports, [port, port, port]);
    });
  }
});

describe("The Include line in the user's SSH configuration", () => {
  const path = "/home/a b/servers.config";
  const line = 'Include "/home/a b/servers.config"';
  const add = (text: string): string => {
    const change = addInclude(text, path);
    return change.state === "done" ? change.text : change.state;
  };
  const remove = (text: string): string => {
    const change = removeInclude(text, path);
    return change.state === "done" ? change.text : change.state;
  };

  it("is added once at the top, and removed without a trace", () => {
    for (const text of [
      "",
      "Host a\n  User b",
      "# mine\r\n\r\nHost a\r\n",
      "\ufeffHost ä\n",
      "\n\n",
      "Include x\n",
    ]) {
      const added = add(text);
      assert.equal(added.split(line).length, 2);
      assert.equal(addInclude(added, path).state, "unchanged");
      assert.equal(remove(added), text);
    }
    assert.equal(add("Host a\r\n"), `${line}\r\nHost a\r\n`);
    assert.ok(add("\ufeffHost a\n").startsWith("\ufeffInclude"));
  });

  it("is moved up if it applies to one host only, and never duplicated", () => {
    assert.equal(add(`Host a\n  include   ${line.slice(8)}\n  User b\n`), `${line}\nHost a\n  User b\n`);
    assert.equal(add(`Host a\n${line}\nMatch all\n${line}\n`), `${line}\nHost a\nMatch all\n`);
    assert.equal(remove("Host a\n"), "unchanged");
  });

  it("stays where it is before the first Host or Match, however the user writes it", () => {
    const plain = "/home/u/storage/ssh/servers.config";
    for (const text of [
      `Include ~/.orbstack/ssh/config\nInclude ${plain}\n\nHost *\n`,
      `# managed\nServerAliveInterval 60\n  include "${plain}"\nMatch all\n`,
      `Include ~/storage/ssh/servers.config\nHost a\n`,
      `Include=${plain}\r\nHost a\r\n`,
      `Include /other/servers.config ${plain}\n`,
    ])
      assert.equal(addInclude(text, plain).state, "unchanged", text);
    for (const text of [`Host *\n\nInclude ${plain}\n`, `Include ${plain}.old\n`, `# Include ${plain}\n`])
      assert.equal(addInclude(text, plain).state, "done", text);
    const removed = removeInclude(`Include /a "${plain}"\nInclude ~/storage/ssh/servers.config\n`, plain);
    assert.deepEqual(removed, { state: "done", text: "Include /a\n" });
  });

  it("is refused for a path that ssh would interpret, and for a file that isn't text", () => {
    for (const bad of ["/a*b", "/a?", "/a[1]", '/a"b', "/a%d", "/${HOME}/x", "/a\nb", "/a\\b"]) {
      assert.equal(includeLine(bad), undefined, bad);
      assert.equal(addInclude("", bad).state, "refused");
    }
    assert.equal(addInclude("H\0o\0s\0t\0", path).state, "refused");
  });

  it("uses forward slashes in Windows paths", () => {
    assert.equal(includeLine("C:\\Users\\a b\\x"), 'Include "C:/Users/a b/x"');
    assert.equal(includeLine("/home/a/x.config"), "Include /home/a/x.config");
  });
});

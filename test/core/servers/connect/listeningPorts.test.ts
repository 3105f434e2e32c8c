import assert from "node:assert/strict";
import { portChoices, readListening } from "../../../../src/core/servers/connect/listeningPorts.ts";
import {
  fingerprintIn,
  keyText,
  offeredKeysText,
  recordKeyText,
  removalIn,
} from "../../../../src/core/servers/connect/sshKeys.ts";

const tail = "00000000:0000 0A 00000000:00000000 00:00000000 00000000";
const printed = [
  "me 1000 ubuntu",
  `port 0: 0100007F:1776 ${tail}  1000        0 101 1 0000000000000000 100 0 0 10 0`,
  `port 1: 00000000:0016 ${tail}     0        0 102 1 0000000000000000 100 0 0 10 0`,
  `port 2: 0500000A:22B8 ${tail}  1001        0 103 1 0000000000000000 100 0 0 10 0`,
  `port 3: 00000000000000000000000001000000:1F40 ${tail}  1000        0 104 1 0 100 0 0 10 0`,
  `port 4: 0100007F:9999 00000000:0000 01 00000000:00000000 00:00000000 00000000  1000        0 105 1`,
  "user 1000 ubuntu",
  "user 0 root",
  "user 1001 alice",
  "socket 101 /usr/bin/python3 /usr/local/bin/tensorboard --logdir runs",
  "socket 103 nginx: worker process",
  "socket 104 /opt/[evil](command:workbench.action.quit)$(trash)",
  "port x: forged",
  `socket 999 ${"x".repeat(5_000)}`,
];

describe("The ports on which a server listens", () => {
  it("are read with their programs and users, and names from the server are inert", () => {
    const found = readListening(printed);
    assert.deepEqual(
      found.map(({ remote, program, user, isOwn }) => [remote.host, remote.port, program, user, isOwn]),
      [
        ["localhost", 6006, "tensorboard", "ubuntu", true],
        ["localhost", 22, undefined, "root", false],
        ["10.0.0.5", 8888, "nginx", "alice", false],
        ["localhost", 8000, found[3]?.program, "ubuntu", true],
      ],
    );
    assert.doesNotMatch(found[3]?.program ?? "", /\]\(|\$\(/);
  });

  it("come first if they are the user's own, then those of the record, and never that of SSH", () => {
    const record = {
      ports: [
        { port: 41_022, inner_port: 22, type: "ssh" },
        { public_port: 41_888, private_port: 8888, type: "http", name: "jupyter" },
        { port: 7860, type: "http", name: "gradio" },
      ],
    };
    const server = { key: "a", status: "running", record } as const;
    assert.deepEqual(
      portChoices(server, readListening(printed)).map(({ remote, name, detail }) => [
        remote.port,
        name,
        detail,
      ]),
      [
        [6006, "tensorboard", "you"],
        [8000, readListening(printed)[3]?.program, "you"],
        [7860, "gradio", "from the field ports[2] of the record"],
        [8888, "nginx", "alice"],
      ],
    );
  });
});

describe("The SSH server of a server", () => {
  it("isn't offered as a port to forward, even if it listens on a port of its own", () => {
    const address = { value: "203.0.113.7", source: "ip" } as const;
    const server = {
      key: "a",
      status: "running",
      address,
      record: { ip: address.value, ssh_port: 6006 },
    } as const;
    const ports = portChoices(server, readListening(printed)).map(({ remote }) => remote.port);
    assert.deepEqual(ports, [8000, 8888]);
  });
});

describe("The keys of a refused sign-in", () => {
  const print = "SHA256:g471c8f3wtI4KhTa0TW/gvPwbFYkWHiUQt92fEp1HZs";

  it("are shown by name and fingerprint, and at most a few", () => {
    const key = keyText(`256 ${print} me@laptop (ED25519)`);
    assert.equal(key, `me@laptop (ED25519 ${print})`);
    assert.equal(keyText(`256 ${print} no comment (ED25519)`, "id_ed25519"), `id_ed25519 (ED25519 ${print})`);
    assert.equal(keyText("The agent has no identities."), undefined);
    assert.match(offeredKeysText([]), /No SSH key was found/);
    assert.match(offeredKeysText(Array.from({ length: 6 }, () => "k")), /k, k, k, k and 2 more/);
    assert.equal(fingerprintIn(`The fingerprint is\n${print}.\n`), print);
    const removal = 'ssh-keygen -f "/home/me/.ssh/known_hosts" -R "[203.0.113.7]:2222"';
    assert.equal(removalIn(`Offending key in known_hosts:3\r\n  remove with:\r\n  ${removal}\r\n`), removal);
    assert.equal(removalIn(`${removal}; reboot`), undefined);
  });

  it("are compared with the names, fingerprints and comments in the record, never with a secret", () => {
    assert.equal(recordKeyText({ id: 1, api_key: "hunter2", name: "server" }), "");
    assert.equal(
      recordKeyText({
        ssh_key_name: "work",
        ssh_keys: [{ id: 7, name: "laptop", fingerprint: print, private_key: "hunter2" }],
        sshPublicKey:
          "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBQ0t7vGm4s1v6J8mDkqzQ3m2Xo1yVw9rT5uB7nC8dEf me@home",
        keyPair: { name: "pair" },
      }),
      `According to its record, the server accepts: work, laptop, ${print}, me@home.`,
    );
  });
});

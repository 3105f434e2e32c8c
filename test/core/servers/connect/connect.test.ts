import assert from "node:assert/strict";
import type { Server } from "../../../../src/core/servers/server.ts";
import { endpointPorts } from "../../../../src/core/servers/connect/modelEndpoint.ts";
import { sshCommand, sshTargetOf, windowTarget } from "../../../../src/core/servers/connect/sshTarget.ts";
import { webAddresses } from "../../../../src/core/servers/connect/webAddresses.ts";

const server = (record: unknown, address = "203.0.113.7"): Server => ({
  key: "a",
  status: "running",
  address: { value: address, source: "ip" },
  record,
});
const command = (record: unknown, address?: string): string | undefined => {
  const target = sshTargetOf(server(record, address));
  return target === undefined ? undefined : sshCommand(target);
};

describe("The machine of a Remote-SSH window", () => {
  const hex = (value: unknown): string => `ssh-remote+${Buffer.from(JSON.stringify(value)).toString("hex")}`;

  it("is the host that its authority names, in each form", () => {
    const bare = { user: undefined, port: undefined };
    assert.deepEqual(windowTarget("ssh-remote+gpu_box.lan"), { ...bare, host: "gpu_box.lan" });
    assert.deepEqual(windowTarget("ssh-remote+7bcafe"), { ...bare, host: "7bcafe" });
    const typed = { host: "203.0.113.7", user: "me", port: 2222 };
    assert.deepEqual(windowTarget("ssh-remote+me@203.0.113.7:2222"), typed);
    assert.deepEqual(windowTarget(hex({ hostName: "203.0.113.7", user: "me", port: 2222 })), typed);
    assert.deepEqual(windowTarget(hex({ hostName: "GPU-Box" })), { ...bare, host: "GPU-Box" });
  });

  it("is unknown for other windows, and if it could be an option or more than a name", () => {
    for (const authority of [
      "",
      "wsl+ubuntu",
      "dev-container+7b7d",
      "ssh-remote",
      "ssh-remote+",
      "localhost:80",
    ])
      assert.equal(windowTarget(authority), undefined, authority);
    for (const host of ["-oProxyCommand=x", "a b", "a;b", "$(x)", "a\nb", "é"]) {
      assert.equal(windowTarget(`ssh-remote+${host}`), undefined, host);
      assert.equal(windowTarget(hex({ hostName: host })), undefined, host);
      assert.equal(windowTarget(hex({ hostName: "a", user: host })), undefined, host);
    }
  });
});

describe("The SSH command of a server", () => {
  it("uses the address, user and port from the record", () => {
    assert.equal(command({}), "ssh 203.0.113.7");
    assert.equal(command({ ssh_user: "ubuntu", sshPort: "2222" }), "ssh -p 2222 ubuntu@203.0.113.7");
    assert.equal(command({ ssh: { host: "x", sshHost: "h.example" } }), "ssh h.example");
  });

  it("uses a mapped port or a complete command from the record", () => {
    assert.equal(command({ ports: ["22/tcp"], portMappings: { 22: 10_341 } }), "ssh -p 10341 203.0.113.7");
    assert.equal(
      command({ ports: [{ privatePort: 22, publicPort: 41_234, type: "tcp" }] }),
      "ssh -p 41234 203.0.113.7",
    );
    assert.equal(
      command({ ssh_command: "ssh -p 41234 root@ssh5.example" }),
      "ssh -p 41234 root@ssh5.example",
    );
    assert.equal(command({ ssh_command: "ssh root@a.example -oProxyCommand=id" }), "ssh 203.0.113.7");
    assert.equal(command({ ssh_command: "ssh root@a.example; id" }), "ssh 203.0.113.7");
  });

  for (const [record, expected] of [
    [
      { ssh_command: "ssh 9f7x2c-64411a02@ssh.cloud.example -i ~/.ssh/id_ed25519" },
      "ssh 9f7x2c-64411a02@ssh.cloud.example",
    ],
    [{ ssh_host: "ssh.cloud.example", ssh_user: "9f7x2c-64411a02" }, "ssh 9f7x2c-64411a02@ssh.cloud.example"],
    [
      { ssh_command: "ssh root@203.0.113.44 -p 22128 -i ~/.ssh/id_ed25519" },
      "ssh -p 22128 root@203.0.113.44",
    ],
    [
      { ssh_str: "ssh -o StrictHostKeyChecking=no -p 11414 root@ssh.cloud.example" },
      "ssh -p 11414 root@ssh.cloud.example",
    ],
    [
      { ssh_command: "ssh -p 41822 root@203.0.113.9 -L 8080:localhost:8080" },
      "ssh -p 41822 root@203.0.113.9",
    ],
    [{ ssh_command: 'ssh -NT -i "my key" -l root -oPort=2200 h.example' }, "ssh -p 2200 root@h.example"],
    [{ ssh: { host: "203.0.113.9", port: 41_822, user: "ubuntu" } }, "ssh -p 41822 ubuntu@203.0.113.9"],
    [{ ssh: "root@203.0.113.9 -p 41822" }, "ssh -p 41822 root@203.0.113.9"],
    [
      { access: { ssh: { hostname: "h.example", port: "22022", username: "me" } } },
      "ssh -p 22022 me@h.example",
    ],
    [{ ssh_info: { port: 41_822, user: "root" } }, "ssh -p 41822 root@203.0.113.7"],
    [{ sshConnection: "root@203.0.113.9 -p 41822" }, "ssh -p 41822 root@203.0.113.9"],
    [{ ssh_url: "ssh://root@203.0.113.9:41822" }, "ssh -p 41822 root@203.0.113.9"],
    [{ ssh_url: "ssh://[2001:db8::7]:2222/" }, "ssh -p 2222 2001:db8::7"],
    [{ connect_command: "ssh root@h.example" }, "ssh root@h.example"],
    [{ ssh_command: "ssh -p 22 root@h.example", ssh_port: 9, user: "x" }, "ssh -p 22 root@h.example"],
    [{ ssh_host: "h.example", network: { ssh_port: 17_003, ssh_user: "x" } }, "ssh h.example"],
    [{ ssh_host: "h.example", ports: [{ privatePort: 22, publicPort: 41_234 }] }, "ssh h.example"],
    [
      {
        ports: [
          { ip: "203.0.113.44", isIpPublic: true, privatePort: 8000, publicPort: 60_119, type: "tcp" },
          { ip: "203.0.113.45", isIpPublic: true, privatePort: 22, publicPort: 22_128, type: "tcp" },
        ],
      },
      "ssh -p 22128 203.0.113.45",
    ],
    [
      { ports: [{ ip: "100.65.3.4", isIpPublic: false, privatePort: 22, publicPort: 60_117 }] },
      "ssh 203.0.113.7",
    ],
    [{ ports: { "22/tcp": [{ HostIp: "0.0.0.0", HostPort: "41235" }] } }, "ssh -p 41235 203.0.113.7"],
    [{ ssh_command: "ssh -o ProxyCommand=id root@203.0.113.9" }, "ssh 203.0.113.7"],
    [{ ssh_command: "ssh -J bastion root@203.0.113.9" }, "ssh 203.0.113.7"],
    [{ ssh_command: "ssh root@203.0.113.9 id" }, "ssh 203.0.113.7"],
    [{ ssh_command: "ssh -F /tmp/x root@203.0.113.9" }, "ssh 203.0.113.7"],
    [{ ssh_command: "ssh -o LocalCommand=id root@203.0.113.9" }, "ssh 203.0.113.7"],
    [{ bastion: { ssh_host: "b.example", ssh_port: 2 } }, "ssh 203.0.113.7"],
  ] as const) {
    it(`takes every part from one source: ${JSON.stringify(record)}`, () =>
      assert.equal(command(record), expected));
  }

  it("rejects values with characters that a shell interprets", () => {
    assert.equal(
      command({ ssh_user: "a;rm -rf ~", ssh_port: "22;id", ssh_host: "$(id)" }),
      "ssh 203.0.113.7",
    );
    assert.equal(command({ ssh_host: "-oProxyCommand=id", ssh_user: "-l" }), "ssh 203.0.113.7");
    assert.equal(command({}, "1.2.3.4`id`"), undefined);
    assert.equal(command({}, "a b"), undefined);
  });

  it("doesn't use the owner's account as the login user", () => {
    assert.equal(command({ owner: { username: "jane" } }), "ssh 203.0.113.7");
  });
});

describe("A port on another address than the server's own", () => {
  const proxied = {
    ip: "100.65.3.4",
    isIpPublic: false,
    privatePort: 8000,
    publicPort: 60_117,
    type: "http",
  };
  const offered = (record: unknown): readonly string[] =>
    endpointPorts(server(record)).map(({ host, port }) => `${host}:${port}`);

  it("isn't offered at the server's address, neither as a web page nor for models", () => {
    for (const record of [
      { ports: [proxied] },
      { Runtime: { Ports: [{ Ip: "100.65.3.4", PrivatePort: 8888, PublicPort: 60_117, PortType: "http" }] } },
      { ports: ["127.0.0.1:60117->8000/tcp"] },
      { ports: { "8000/tcp": [{ HostIp: "127.0.0.1", HostPort: "60117" }] } },
      { ports: [{ ...proxied, ip: "not an address!", isIpPublic: true }] },
    ]) {
      assert.ok(!offered(record).join().includes("60117"), JSON.stringify(record));
      assert.deepEqual(webAddresses(server(record)), []);
    }
  });

  it("is offered at its own address if that is public", () => {
    const record = { ports: [{ ...proxied, ip: "203.0.113.44", isIpPublic: true }] };
    assert.equal(offered(record)[0], "203.0.113.44:60117");
    assert.deepEqual(
      webAddresses(server(record)).map(({ url, isElsewhere }) => [url, isElsewhere]),
      [["http://203.0.113.44:60117/", true]],
    );
  });
});

describe("The web addresses of a server", () => {
  const urls = (record: unknown): readonly string[] => webAddresses(server(record)).map(({ url }) => url);

  it("are its HTTP ports and its plain URLs, each with its path in the record", () => {
    const record = {
      dashboard: "https://dash.example/x",
      ports: [{ publicPort: 8888, type: "http" }, { publicPort: 22, type: "tcp" }, "9000/http", 8080],
      jupyter_port: 8889,
      net: { http_port: 80, https_port: 443 },
    };
    assert.deepEqual(webAddresses(server(record)), [
      { url: "https://dash.example/x", source: "dashboard", isElsewhere: true },
      { url: "http://203.0.113.7:8888/", source: "ports[0]", isElsewhere: false },
      { url: "http://203.0.113.7:9000/", source: "ports[2]", isElsewhere: false },
      { url: "http://203.0.113.7:8080/", source: "ports[3]", isElsewhere: false },
      { url: "http://203.0.113.7:8889/", source: "jupyter_port", isElsewhere: false },
      { url: "http://203.0.113.7:80/", source: "net.http_port", isElsewhere: false },
      { url: "https://203.0.113.7:443/", source: "net.https_port", isElsewhere: false },
    ]);
  });

  it("are marked as external unless the host is the server's own", () => {
    const record = { ui: "http://203.0.113.7:7860/", evil: "http://203.0.113.7.evil.example/" };
    assert.deepEqual(
      webAddresses(server(record)).map(({ isElsewhere }) => isElsewhere),
      [false, true],
    );
  });

  it("omit those with a secret or another scheme", () => {
    const record = {
      console_url: "https://c.example/",
      a: "https://u:p@h.example/",
      b: "https://h.example/?token=abcdefgh",
      c: "javascript:alert(1)",
      d: "file:///etc/passwd",
      e: "command:workbench.action.reloadWindow",
    };
    assert.deepEqual(urls(record), []);
  });
});

import assert from "node:assert/strict";
import type { Server } from "../../../../src/core/servers/server.ts";
import { sshCommand, sshTargetOf } from "../../../../src/core/servers/connect/sshTarget.ts";
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

import assert from "node:assert/strict";
import { recordPorts } from "../../../../src/core/servers/connect/recordPorts.ts";

const ports = (record: unknown): readonly string[] =>
  recordPorts(record).map(({ port, inner, service, source }) =>
    [`${port}`, inner === undefined ? "" : `<${inner}`, service, `@${source}`]
      .filter((part) => part !== "")
      .join(" "),
  );

describe("The ports of a record", () => {
  it("are read from fields, lists and maps in the formats of several clouds", () => {
    assert.deepEqual(ports({ jupyter_port: "8888", net: { http_port: 80 } }), [
      "8888 jupyter @jupyter_port",
      "80 http @net.http_port",
    ]);
    assert.deepEqual(ports({ ports: ["8000/http", 9000, "0.0.0.0:8080->80/tcp", "5000:6000"] }), [
      "8000 http @ports[0]",
      "9000 @ports[1]",
      "8080 <80 @ports[2]",
      "5000 <6000 @ports[3]",
    ]);
    assert.deepEqual(
      ports({ runtime: { ports: [{ ip: "1.2.3.4", privatePort: 8888, publicPort: 41_234, type: "http" }] } }),
      ["41234 <8888 http @runtime.ports[0]"],
    );
    assert.deepEqual(
      ports({ ports: { "8080/tcp": [{ HostIp: "0.0.0.0", HostPort: "41235" }], jupyter: 8888 } }),
      ["41235 <8080 @ports.8080/tcp", "8888 jupyter @ports.jupyter"],
    );
  });

  it("are the external ones if another field contains the mapping", () => {
    assert.deepEqual(ports({ portMappings: { 22: 10_341 }, ports: ["8888/http", "22/tcp"] }), [
      "10341 <22 @portMappings.22",
      "8888 http @ports[0]",
    ]);
  });

  it("belong to the host that stands beside them, and to no other", () => {
    const placed = (record: unknown): readonly string[] =>
      recordPorts(record).map(({ host, port, service }) => `${service} ${host ?? ""}:${port}`);
    const at = (host: string, port: number): object => ({ host, port });
    assert.deepEqual(placed({ ip: "203.0.113.1", ssh: at("203.0.113.6", 2222) }), ["ssh 203.0.113.6:2222"]);
    assert.deepEqual(placed({ ip: "203.0.113.1", gateway: at("gw.example.com", 443) }), [
      "gateway gw.example.com:443",
    ]);
    assert.deepEqual(
      placed({ endpoints: [{ name: "ssh", ...at("203.0.113.6", 31_001) }, at("203.0.113.7", 31_002)] }),
      ["ssh 203.0.113.6:31001", "endpoints 203.0.113.7:31002"],
    );
    assert.deepEqual(placed({ ip: "203.0.113.1", proxy_ip: "203.0.113.9", proxy_port: 2022, web_port: 80 }), [
      "proxy 203.0.113.9:2022",
      "web :80",
    ]);
  });

  it("are mapped to those inside, whichever of both is the name", () =>
    assert.deepEqual(ports({ port_forwards: { 20_022: 22, 28_888: 8888 } }), [
      "20022 <22 @port_forwards.20022",
      "28888 <8888 @port_forwards.28888",
    ]));

  it("don't include unrelated or invalid numbers", () => {
    const record = {
      support: 443,
      transport: "8080",
      reports: [80],
      ports: [0, 65_536, -1, 1.5, "80; id", "x".repeat(100_000), null, {}, [[[[]]]]],
      port_token: 8080,
      portSpeed: 10_000,
    };
    assert.deepEqual(ports(record), []);
    assert.deepEqual([recordPorts(null), recordPorts("8080"), recordPorts([])], [[], [], []]);
  });

  it("are limited in number", () => {
    const deep: unknown = Array.from({ length: 1_000 }).reduce((inner) => ({ ports: [inner], port: 80 }), {});
    assert.ok(recordPorts(deep).length <= 100);
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`x${index}_port`, index + 1]),
    );
    assert.ok(recordPorts(wide).length <= 100);
  });

  it("have plain words as service names, whatever the record contains", () => {
    const [port] = recordPorts({ ports: [{ port: 80, name: "\u202eEvil\n`name` ".repeat(50) }] });
    assert.match(port?.service ?? "", /^[a-z0-9]{0,20}$/);
  });
});

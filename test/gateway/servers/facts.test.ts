import assert from "node:assert/strict";
import type { Server } from "../../../src/core/servers/server.ts";
import { parseFieldMapping } from "../../../src/core/servers/fieldMapping.ts";
import { readServerList } from "../../support/readServerList.ts";

function read(record: unknown, mapping: unknown = {}): Server {
  const [server] = readServerList(JSON.stringify({ servers: [record] }), parseFieldMapping(mapping)).servers;
  assert.ok(server);
  return server;
}

describe("The status of a server", () => {
  it("is never read from a boolean", () => {
    assert.equal(read({ id: 1, status: true, state: "stopped" }).statusText?.value, "stopped");
    assert.equal(read({ id: 1, status: true }).statusText, undefined);
  });

  it("is taken from a word rather than a number, and a plain number is shown unchanged", () => {
    assert.equal(read({ id: 1, status: 2, status_desc: "Running" }).status, "running");
    const server = read({ id: 1, status: 16 });
    assert.deepEqual([server.status, server.statusText?.value], ["unknown", "16"]);
  });

  it("can be read from an object", () => {
    const server = read({ id: 1, State: { Code: 80, Name: "stopped" } });
    assert.deepEqual(
      [server.status, server.statusText],
      ["stopped", { value: "stopped", source: "State.Name" }],
    );
  });

  it("is stopped if the account is active but the power is off", () => {
    assert.equal(read({ id: 1, status: "active", power_status: "stopped" }).status, "stopped");
    assert.equal(read({ id: 1, status: "CREATING", power_state: "NOSTATE" }).status, "starting");
  });

  it("is not derived from a successful provisioning or from an image", () => {
    assert.equal(read({ id: 1, properties: { provisioningState: "Succeeded" } }).status, "unknown");
    assert.equal(
      read({ id: 1, image: { status: "available" }, volumes: [{ state: "active" }] }).statusText,
      undefined,
    );
  });
});

describe("The times of a server", () => {
  const time = "2026-06-05T10:29:11.000Z";
  const timesOf = (record: object) => {
    const { createdAt, startedAt, uptimeSeconds } = read({ id: 1, ...record });
    return [createdAt?.value, startedAt?.value, uptimeSeconds?.value];
  };

  it("are parsed in the formats of many clouds", () => {
    for (const value of [
      "2026-06-05T10:29:11",
      "2026-06-05T10:29:11Z",
      "2026-06-05T10:29:11.000000Z",
      "2026-06-05 10:29:11 UTC",
      "2026-06-05 10:29:11.000 +0000 UTC",
      "2026-06-05T12:29:11+02:00",
      "2026-06-05T12:29:11+0200",
      Date.parse(time),
      Date.parse(time) / 1_000,
      String(Date.parse(time) / 1_000),
    ]) {
      assert.deepEqual(timesOf({ created_at: value }), [time, undefined, undefined], String(value));
    }
  });

  it("are found under many names and in metadata, but not in other objects", () => {
    assert.deepEqual(timesOf({ metadata: { creationTimestamp: time } }), [time, undefined, undefined]);
    assert.deepEqual(timesOf({ LaunchTime: time }), [undefined, time, undefined]);
    assert.deepEqual(timesOf({ runtime: { uptimeInSeconds: 90 } }), [undefined, undefined, "90"]);
    assert.deepEqual(timesOf({ uptime_mins: 2 }), [undefined, undefined, "120"]);
    assert.deepEqual(timesOf({ image: { created_at: "2026-06-05" }, owner: { createdAt: time } }), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("include the start on a machine, which isn't the beginning of a contract", () => {
    assert.deepEqual(timesOf({ active_at: time, created_at: "2026-06-01" })[1], time);
    assert.deepEqual(timesOf({ dtCreated: time }), [time, undefined, undefined]);
    assert.deepEqual(timesOf({ dtLastStarted: time }), [undefined, time, undefined]);
    const vast = { start_date: Date.parse(time) / 1_000, uptime_mins: 712.4 };
    assert.deepEqual(timesOf(vast), [time, undefined, "42744"]);
    assert.equal(read({ id: 1, billing_start_time: time }).billedSince?.value, time);
  });

  it("can be mapped to a field of any name", () => {
    const server = read({ id: 1, born: 1_780_655_351 }, { createdAt: "born" });
    assert.deepEqual(server.createdAt, { value: "2026-06-05T10:29:11.000Z", source: "born" });
  });

  it("are undefined if no valid time is present", () => {
    for (const value of ["yesterday", "", "2026-13-45", 12, -1, null, {}, "9".repeat(50)]) {
      assert.deepEqual(timesOf({ created_at: value }), [undefined, undefined, undefined], String(value));
    }
  });
});

describe("The type of a server", () => {
  it("is the cloud's name for what was rented", () => {
    const typeOf = (record: object) => read({ id: 1, ...record }).type?.value;
    assert.equal(typeOf({ flavor: { id: 38, name: "n3-H100x8", cpu: 252 } }), "n3-H100x8");
    assert.equal(typeOf({ commercial_type: "L4-1-24G" }), "L4-1-24G");
    assert.equal(typeOf({ InstanceType: "p5.48xlarge" }), "p5.48xlarge");
    assert.equal(
      typeOf({ machineType: "https://c.example/zones/us-central1-a/machineTypes/a3-highgpu-8g" }),
      "a3-highgpu-8g",
    );
    assert.equal(typeOf({ size: { slug: "gpu-h100x8-640gb", price_hourly: 23.92 } }), "gpu-h100x8-640gb");
    assert.equal(typeOf({ size: 80 }), undefined);
  });
});

describe("What a stopped server costs", () => {
  const costOf = (record: object) => read({ id: 1, gpu_count: 8, ...record }).costNow?.value;

  it("is read where its record states it, and never from the price that it has while it runs", () => {
    const prices = { priceHr: 20.1, stoppedPriceHr: 0.42, provisioningPriceHr: 0 };
    assert.equal(costOf({ status: "STOPPED", ...prices }), "0.42 per hour");
    assert.equal(costOf({ status: "ACTIVE", ...prices }), undefined);
    const vast = {
      dph_total: 0.4123,
      instance: { gpuCostPerHour: 0.4, diskHour: 0.0123, totalHour: 0.4123 },
    };
    assert.equal(costOf({ actual_status: "exited", ...vast }), "0.0123 per hour");
    assert.equal(costOf({ desiredStatus: "EXITED", costPerHr: 0.74 }), undefined);
    assert.equal(costOf({ status: "stopped", price_hourly: 1, percent_off_hourly: 20 }), undefined);
  });
});

describe("The GPU of a server", () => {
  it("is searched only at the beginning of a text, so that a long one is fast", () => {
    const { gpu } = read({ id: 1, gpu: `GPU ${" ".repeat(200_000)}!` });
    assert.equal(gpu?.value, "GPU");
  });

  const cases: readonly (readonly [record: object, label: string | undefined, count: string | undefined])[] =
    [
      [{ gpu: "1x NVIDIA H100 GPU" }, "1 × NVIDIA H100 GPU", "1"],
      [{ gpu: { model: "H100", count: 8 } }, "8 × H100", "8"],
      [{ gpu: { type: "Quadro_RTX_4000", count: "2" } }, "2 × Quadro_RTX_4000", "2"],
      [{ gpus: [{ name: "A100" }, { name: "A100" }] }, "2 × A100", "2"],
      [
        {
          gpus: [
            { model: "A100", count: 4 },
            { model: "T4", count: 1 },
          ],
        },
        "4 × A100 + 1 × T4",
        "5",
      ],
      [{ gpus: ["L40S", "L40S", "L40S"] }, "3 × L40S", "3"],
      [{ gpus: { "h100-sxm5-80gb": { count: 8 } } }, "8 × h100-sxm5-80gb", "8"],
      [{ gpu_name: "RTX 4090", num_gpus: "2" }, "2 × RTX 4090", "2"],
      [{ gpu_count: 4 }, "4 GPUs", "4"],
      [{ gpus: 1 }, "1 GPU", "1"],
      [{ flavor: { gpu: "A6000", gpu_count: 2 } }, "2 × A6000", "2"],
      [{ instance_type: { description: "8x H100 (80 GB SXM5)" } }, "8 × H100 (80 GB SXM5)", "8"],
      [{ instance_type: "gpu_1x_a6000" }, "1 × a6000", "1"],
      [{ shape: "BM.GPU.H100.8" }, "8 × H100", "8"],
      [{ type: "h100-80gb-sxm-ib.8x" }, "8 × h100", "8"],
      [{ flavor: { name: "n3-H100x1" } }, "1 × H100", "1"],
      [{ commercial_type: "L40S-8-48G" }, "8 × L40S", "8"],
      [{ commercial_type: "H100-SXM-4-80G" }, "4 × H100", "4"],
      [{ plan: "vbm-256c-2048gb-8-h100-gpu" }, "8 × h100", "8"],
      [{ type: "a40.8x" }, "8 × a40", "8"],
      [{ machineType: "A100-80Gx8" }, "8 × A100", "8"],
      [{ type: "l40s-48gb.10x" }, "10 × l40s", "10"],
      [{ type: "c1a.16x" }, undefined, undefined],
      [{ type: "t4.2xlarge" }, undefined, undefined],
      [{ type: "g1-gpu-rtx6000-2" }, "2 × rtx6000", "2"],
      [{ type: "g2-gpu-rtx4000a4-m" }, "4 × rtx4000", "4"],
      [{ type: "g3-gpu-rtxpro6000-blackwell-2" }, "2 × rtxpro6000", "2"],
      [{ type: "g6-standard-4" }, undefined, undefined],
      [{ hardware: "8x NVIDIA H100 80GB SXM" }, "8 × H100", "8"],
      [{ gres: "gpu:h100:8(S:0-1)" }, "8 × h100", "8"],
      [
        {
          guestAccelerators: [
            { acceleratorType: "https://host/zones/z/acceleratorTypes/nvidia-tesla-t4", acceleratorCount: 1 },
          ],
        },
        "1 × nvidia-tesla-t4",
        "1",
      ],
      [{ gpu: "None" }, undefined, undefined],
      [{ gpu: null, gpu_count: 0 }, undefined, undefined],
      [{ gpus: [] }, undefined, undefined],
      [{ gpu: false }, undefined, undefined],
      [{ cpu: { description: "8x Xeon" }, cpus: [{ count: 2, type: "EPYC" }] }, undefined, undefined],
      [{ gpu_memory: { description: "80 GB" } }, undefined, undefined],
      [{ vmSize: "Standard_A2", type: "t4g.nano" }, undefined, undefined],
      [{ plan: "a2-standard-l4" }, undefined, undefined],
    ];
  for (const [record, label, count] of cases) {
    it(`is ${label ?? "none"} in ${JSON.stringify(record).slice(0, 80)}`, () => {
      const server = read({ id: 1, name: "n", ...record });
      assert.deepEqual([server.gpu?.value, server.gpuCount?.value], [label, count]);
    });
  }
});

describe("The use of the GPUs of a server", () => {
  const cases: readonly (readonly [record: object, use: string | undefined])[] = [
    [{ gpu_util: 97.6 }, "98%"],
    [{ gpu_utilization_percent: 0 }, "0%"],
    [{ gpuUtilization: "37.5 %" }, "38%"],
    [{ metrics: { gpu_usage: 12 } }, "12%"],
    [{ runtime: { gpus: [{ gpuUtilPercent: 90 }, { gpuUtilPercent: 30 }] } }, "60%"],
    [{ gpus: [{ utilization: { gpu: 3 } }, { name: "A100" }] }, undefined],
    [{ gpu_utilization: [10, 20, null] }, undefined],
    [{ gpu_utilization: 0.45 }, undefined],
    [{ gpu_utilization_percent: 0.45 }, "0%"],
    [{ gpu_utilization: 140 }, undefined],
    [{ gpu_utilization: -1 }, undefined],
    [{ cpu_util: 12, gpu_memory_utilization: 30, gpu: "H100" }, undefined],
    [{ gpu_util: 97, state: "stopped" }, undefined],
  ];
  for (const [record, use] of cases)
    it(`is ${use ?? "unknown"} in ${JSON.stringify(record)}`, () =>
      assert.equal(read({ id: 1, state: "running", ...record }).gpuUse?.value, use));
});

describe("The region of a server", () => {
  const cases: readonly (readonly [record: object, region: string | undefined])[] = [
    [{ region: "eu-west" }, "eu-west"],
    [{ region: { name: "New York 3", slug: "nyc3" } }, "nyc3"],
    [{ zone: "https://host/compute/v1/projects/p/zones/us-central1-a" }, "us-central1-a"],
    [{ "OS-EXT-AZ:availability_zone": "us-west" }, "us-west"],
    [{ Placement: { AvailabilityZone: "us-east-2a" } }, "us-east-2a"],
    [{ environment: { name: "prod", region: "NORWAY-1" } }, "NORWAY-1"],
    [{ datacenter: { id: 1, name: "fsn1-dc8", location: { name: "fsn1" } } }, "fsn1-dc8"],
    [{ metadata: { labels: { "topology.kubernetes.io/region": "us-1" } } }, "us-1"],
    [{ region: [{ name: "eu-1" }] }, "eu-1"],
    [{ region: null, location: null }, undefined],
    [{ region: 3 }, undefined],
    [{ image: { region: "eu" }, network: { zone: "x" }, prices: [{ location: "fsn1" }] }, undefined],
  ];
  for (const [record, region] of cases) {
    it(`is ${region ?? "unknown"} in ${JSON.stringify(record)}`, () => {
      assert.equal(read({ id: 1, ...record }).region?.value, region);
    });
  }
});

describe("The address of a server", () => {
  const cases: readonly (readonly [
    record: object,
    address: string | undefined,
    isPrivate: boolean | undefined,
  ])[] = [
    [{ private_ip: "10.0.0.1", ip: "198.51.100.2" }, "198.51.100.2", undefined],
    [{ fixed_ip: "10.0.0.5", floating_ip: "203.0.113.5" }, "203.0.113.5", undefined],
    [{ private_ip: "10.0.0.1" }, "10.0.0.1", true],
    [{ private_ip: "203.0.113.1" }, "203.0.113.1", true],
    [{ publicIp: "100.65.0.119" }, "100.65.0.119", undefined],
    [{ ip: "100.65.0.119" }, "100.65.0.119", true],
    [{ ipv6: "2001:db8::7", ipv4: ["203.0.113.9"] }, "203.0.113.9", undefined],
    [{ ipv6: "2001:db8::7/64" }, "2001:db8::7", undefined],
    [
      {
        public_net: { ipv4: { ip: "203.0.113.4", dns_ptr: "x" }, ipv6: { ip: "2001:db8::/64" } },
        private_net: [{ ip: "10.1.1.5", alias_ips: ["10.1.1.8"] }],
      },
      "203.0.113.4",
      undefined,
    ],
    [
      {
        addresses: {
          net: [
            { addr: "192.168.0.2", "OS-EXT-IPS:type": "fixed" },
            { addr: "203.0.113.6", "OS-EXT-IPS:type": "floating" },
          ],
        },
      },
      "203.0.113.6",
      undefined,
    ],
    [
      {
        ip_addresses: [
          { public: false, address: "10.1.1.1", network: "10.1.1.0" },
          { public: true, network: "203.0.113.192", address: "203.0.113.193", gateway: "203.0.113.194" },
        ],
      },
      "203.0.113.193",
      undefined,
    ],
    [
      {
        networks: {
          v4: [
            { ip_address: "10.2.2.2", type: "private" },
            { ip_address: "203.0.113.8", type: "public" },
          ],
        },
      },
      "203.0.113.8",
      undefined,
    ],
    [
      {
        status: {
          addresses: [
            { type: "InternalIP", address: "10.0.0.5" },
            { type: "ExternalIP", address: "203.0.113.5" },
          ],
        },
      },
      "203.0.113.5",
      undefined,
    ],
    [
      {
        network_interfaces: [
          { ip_address: { address: "10.0.0.3/32" }, public_ip_address: { address: "203.0.113.3/32" } },
        ],
      },
      "203.0.113.3",
      undefined,
    ],
    [
      { gateway_v4: "203.0.113.1", netmask: "255.255.255.0", dns: ["9.9.9.9"], ipmi_ip: "10.9.9.9" },
      undefined,
      undefined,
    ],
    [
      { security_rules: [{ remote_ip_prefix: "203.0.113.0" }], agent_version: "1.2.3.4", main_ip: "0.0.0.0" },
      undefined,
      undefined,
    ],
    [{ volumes: [{ host_ip: "203.0.113.7" }], image: { ip: "203.0.113.7" } }, undefined, undefined],
  ];
  for (const [record, address, isPrivate] of cases) {
    it(`is ${isPrivate ? "private " : ""}${address ?? "unknown"} in ${JSON.stringify(record).slice(0, 90)}`, () => {
      const server = read({ id: 1, name: "n", ...record });
      assert.deepEqual([server.address?.value, server.isPrivateAddress], [address, isPrivate]);
    });
  }
});

describe("The ID and name of a server", () => {
  it("are returned with the field that they come from", () => {
    const server = read({ server: { server_number: 321, server_name: "x" } });
    assert.deepEqual(server.id, { value: "321", source: "server.server_number" });
    assert.deepEqual(server.name, { value: "x", source: "server.server_name" });
  });

  it("come from a tag if no field has a name", () => {
    assert.equal(read({ InstanceId: "i-1", Tags: [{ Key: "Name", Value: "mine" }] }).name?.value, "mine");
  });

  it("aren't taken from nested objects", () => {
    const server = read({ status: "on", image: { id: 5, name: "Ubuntu" }, host: { name: "rack" } });
    assert.deepEqual([server.id, server.name, server.key], [undefined, undefined, "#1"]);
  });
});

describe("The user's field mapping", () => {
  it("takes precedence over automatic detection", () => {
    const record = { id: 1, name: "n", region: "eu", dc: { name: "Oslo" }, hw: [{ card: "H100" }] };
    const server = read(record, { region: "dc.name", gpu: ["nothing.here", "hw[0].card"], name: "dc.name" });
    assert.deepEqual(server.region, { value: "Oslo", source: "dc.name" });
    assert.deepEqual(server.gpu, { value: "H100", source: "hw[0].card" });
    assert.equal(server.name?.value, "Oslo");
  });

  it("falls back to automatic detection if its paths lead nowhere", () => {
    assert.equal(read({ id: 1, region: "eu" }, { region: "no.such" }).region?.value, "eu");
  });

  it("can select the list", () => {
    const text = JSON.stringify({ servers: [{ id: 1 }], archive: { deep: [{ id: 2 }, { id: 3 }] } });
    const list = readServerList(text, parseFieldMapping({ list: "archive.deep" }));
    assert.deepEqual(
      list.servers.map(({ key }) => key),
      ["2", "3"],
    );
  });

  it("can address a field whose name contains dots, and a mapped status", () => {
    const server = read({ id: 1, "my.state": "halted" }, { status: "my.state" });
    assert.deepEqual([server.status, server.statusText?.source], ["stopped", "my.state"]);
  });

  it("ignores invalid entries", () => {
    assert.deepEqual(parseFieldMapping({ region: 5, gpu: ["a", 7, ""], foo: "x", id: "" }), { gpu: ["a"] });
    assert.deepEqual(parseFieldMapping(null), {});
  });
});

describe("Servers of one list", () => {
  it("have facts however deeply a record is nested", () => {
    const fields = ["name", "status", "gpu", "flavor", "region", "placement", "spec", "networks", "ip"];
    const first = Array.from(
      { length: 50 },
      (_, index) => `{"id":"s${index}","status":"running","ip":"10.0.0.1"}`,
    );
    for (const field of fields)
      for (const [start, end] of [
        ["[", "]"],
        [`{"${field}":`, "}"],
      ] as const) {
        const deep = `{"id":"deep","${field}":${start.repeat(20_000)}1${end.repeat(20_000)}}`;
        const server = readServerList(`[${[...first, deep].join(",")}]`).servers.at(-1);
        assert.equal(server?.id?.value, "deep");
      }
  });

  /** Records whose fields are similar, but mean something else. */
  const records = [
    { id: "a", name: "x", ip: "10.0.0.1", status: "running", flavor: { name: "gpu", gpu: "2x H100" } },
    { id: "b", name: null, Name: "y", ip: "10.0.0.2", status: { state: "stopped" }, flavor: null },
    { id: "c", name: "", Name: "z", ip: null, status: "", flavor: [{ gpu: "4" }] },
    { name: "w", id: "d", status: { phase: "Pending", region: "eu" }, metadata: { name: "other" } },
    {
      id: "e",
      metadata: { name: "pod", labels: { region: "us" } },
      spec: { gpu: 1 },
      status: { phase: "Running" },
    },
    { id: "f", metadata: { uid: "1" }, spec: { gpu: "L4" }, status: null },
    { server: { id: "g", name: "inner", status: "active" } },
    { id: "h", server: { id: "g", name: "inner", status: "active" } },
    { id: "i", Flavor: null, flavor: [{ gpu: "8x H100", nics: [{ ip: "203.0.113.9" }] }] },
    { id: "j", Flavor: { gpu: "L4" }, flavor: { gpu: "8x H100", nics: { ip: "10.0.0.9" } } },
  ];

  it("have the same facts as each of them alone, in any order", () => {
    const alone = records.map((record) => read(record));
    for (const order of [records, records.toReversed(), [...records, ...records]]) {
      const text = JSON.stringify({ servers: order });
      for (const server of readServerList(text).servers) {
        const expected = alone[records.findIndex((one) => isSame(one, server.record))];
        assert.ok(expected !== undefined);
        assert.deepEqual({ ...server, key: "" }, { ...expected, key: "" });
      }
    }
  });
});

function isSame(first: unknown, second: unknown): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

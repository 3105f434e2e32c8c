import assert from "node:assert/strict";
import { runTool } from "../../../src/core/agentTools/runTool.ts";
import { toolNames } from "../../../src/core/agentTools/toolNames.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { readServerList } from "../../support/readServerList.ts";
import { unusualPlaces } from "../servers/unusualPlaces.ts";
import { isLeft } from "../account/secrets/fakeSecrets.ts";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";
import { agentToolPorts, callTool, toolFailure } from "./callTool.ts";

const listed = (result: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] => {
  assert.ok(Array.isArray(result["servers"]));
  return result["servers"].filter(isRecord);
};

describe("The tool list_servers", () => {
  it("returns the matching servers up to the limit, and how many there are", async () => {
    const all = await callTool("list_servers", {});
    assert.equal(listed(all).length, 30);
    const some = await callTool("list_servers", { state: "running", gpu: "h100", limit: 2 });
    assert.equal(listed(some).length, 2);
    assert.equal(some["matching"], 5);
    assert.equal(some["total"], 30);
    for (const server of listed(some)) {
      assert.equal(server["status"], "running");
      assert.match(String(server["gpu"]), /H100/);
      assert.equal(server["profile"], "Lab");
    }
    assert.equal((await callTool("list_servers", { region: "EU-4" }))["matching"], 6);
    assert.equal((await callTool("list_servers", { text: "srv-7 eu-2" }))["matching"], 1);
  });

  it("returns all matches once over its pages, the last of which names no next one", async () => {
    const ids: unknown[] = [];
    let next: unknown = 0;
    for (let pages = 0; next !== undefined; pages++) {
      assert.ok(pages < 10);
      const page = await callTool("list_servers", { limit: 7, offset: next });
      assert.equal(page["matching"], 30);
      ids.push(...listed(page).map(({ id, name }) => id ?? name));
      next = page["next"];
    }
    assert.equal(ids.length, 30);
    assert.equal(new Set(ids).size, 30);
    const beyond = await callTool("list_servers", { offset: 1_000 });
    assert.deepEqual([listed(beyond).length, beyond["matching"], beyond["next"]], [0, 30, undefined]);
    const filtered = await callTool("list_servers", { state: "running", gpu: "h100", limit: 3, offset: 3 });
    assert.deepEqual([listed(filtered).length, filtered["next"]], [2, undefined]);
  });

  it("can't be used to find out what else a record contains", async () => {
    const server = createServer("a", { record: { owner: "ann", password: "hunter2-hunter2" } });
    const servers = () => Promise.resolve([createSection([server])]);
    for (const text of ["hunter2", "ann", "password:hunter2-hunter2", "/password:h", "owner:ann"])
      assert.equal((await callTool("list_servers", { text }, { servers }))["matching"], 0, text);
  });

  it("reports why a list is old or empty, without the server's markup and secrets", async () => {
    const error = {
      reason: "unavailable",
      message: "The server failed: Bearer sk-proj-abcdefghijklmnop1234567890abcd\n\u202eevil",
    } as const;
    const servers = () => Promise.resolve([createSection(createServers(1), { error, total: 40 })]);
    const { lists } = await callTool("list_servers", {}, { servers });
    assert.ok(Array.isArray(lists) && isRecord(lists[0]));
    assert.equal(lists[0]["isOutdated"], true);
    assert.equal(lists[0]["totalAtGateway"], 40);
    assert.match(String(lists[0]["problem"]), /^The server failed: Bearer •+ evil$/);
  });

  it("explains what is missing if there is no such profile, or none at all", async () => {
    assert.match(await toolFailure("list_servers", { profile: "Lob" }), /The profiles are: Lab, Plain\./);
    assert.match(await toolFailure("list_servers", {}, { profiles: [] }), /There is no profile yet\./);
    assert.equal((await callTool("list_servers", { profile: "lab" }))["total"], 30);
    assert.equal((await callTool("list_servers", { profile: "Plain" }))["total"], 0);
  });
});

describe("The tool get_server", () => {
  it("finds a server by ID, by name, and by name regardless of case", async () => {
    for (const server of ["srv-3", "trainer-27", "TRAINER-27"]) {
      const found = await callTool("get_server", { server });
      assert.equal(found["id"], "srv-3", server);
      assert.deepEqual(found["addresses"], ["203.0.0.3"]);
      assert.equal(found["createdAt"], "2023-11-15T01:13:20.000Z");
    }
  });

  it("asks for the ID if several servers have the name", async () => {
    const twins = ["a", "b"].map((key) => createServer(key, { name: { value: "twin", source: "x" } }));
    const servers = () => Promise.resolve([createSection(twins)]);
    const problem = await toolFailure("get_server", { server: "twin" }, { servers });
    assert.equal(
      problem,
      "2 servers are called “twin”. Pass the ID or the profile: a (profile Lab), b (profile Lab).",
    );
  });

  it("repeats why nothing is listed if the server isn't known", async () => {
    const error = { reason: "timeout", message: "The gateway didn't respond." } as const;
    const servers = () => Promise.resolve([createSection([], { error, state: "failed" })]);
    assert.match(
      await toolFailure("get_server", { server: "x" }, { servers }),
      /The gateway didn't respond\.$/,
    );
  });
});

describe("The tools about servers", () => {
  for (const { what, record, secrets } of unusualPlaces()) {
    it(`never return a secret of a record: ${what}`, async () => {
      const text = JSON.stringify({ servers: [{ id: "i-1", name: "one", ip: "1.2.3.4", ...record }] });
      const servers = () => Promise.resolve([createSection(readServerList(text).servers)]);
      for (const [name, input] of [
        ["list_servers", {}],
        ["get_server", { server: "i-1" }],
        ["get_gpu_usage", { server: "i-1" }],
        ["check_gateway", {}],
      ] as const) {
        const outcome = await runTool(name, input, agentToolPorts({ servers }));
        assert.deepEqual(
          secrets.filter((secret) => isLeft(outcome.text, secret)),
          [],
          name,
        );
      }
    });
  }

  it("never return user data, credentials or the user's notes", async () => {
    const record = {
      id: "i-1",
      user_data: "#cloud-config\npassword: canary-user-data",
      root_password: "canary-password",
      ssh_private_key: "canary-key",
      env: { DB: "canary-env" },
      owner: { email: "canary@example.com" },
      gpu_util: "canary-reading",
      runtime: { gpus: [{ "canary.<field>": 5, gpuUtilPercent: 93 }] },
    };
    const sections = [createSection(readServerList(JSON.stringify({ servers: [record] })).servers)];
    for (const name of toolNames.filter((tool) => tool !== "search_conversations")) {
      const input = name === "get_server" || name === "get_gpu_usage" ? { server: "i-1" } : {};
      const { text } = await runTool(
        name,
        input,
        agentToolPorts({ servers: () => Promise.resolve(sections) }),
      );
      assert.doesNotMatch(text, /canary/, name);
    }
  });
});

describe("The tool get_gpu_usage", () => {
  const usage = (record: unknown) =>
    callTool(
      "get_gpu_usage",
      { server: "a" },
      { servers: () => Promise.resolve([createSection([createServer("a", { record })])]) },
    );

  it("returns what the record contains, under its own names, and marks it as not live", async () => {
    const result = await usage({
      gpu_util: 93.5,
      gpu_temp: "61 C",
      temperature: 20,
      runtime: { gpus: [{ id: "GPU-1", gpuUtilPercent: 12, memoryUtilPercent: 80, power: "300 W" }] },
    });
    assert.equal(result["isLive"], false);
    assert.deepEqual(result["readings"], [
      { field: "gpu_util", value: 93.5 },
      { field: "gpu_temp", value: "61 C" },
      { field: "runtime.gpus[0].gpuUtilPercent", value: 12 },
      { field: "runtime.gpus[0].memoryUtilPercent", value: 80 },
      { field: "runtime.gpus[0].power", value: "300 W" },
    ]);
  });

  it("returns the measured values of a server that the user watches instead", async () => {
    const server = createServer("a", { record: { gpu_util: 93.5 } });
    const result = await callTool(
      "get_gpu_usage",
      { server: "a" },
      {
        servers: () => Promise.resolve([createSection([server])]),
        gpu: (profile, key) =>
          profile === "Lab" && key === "a" ? { isLive: true, ageSeconds: 2 } : undefined,
      },
    );
    assert.deepEqual([result["isLive"], result["ageSeconds"], result["id"]], [true, 2, "a"]);
    assert.equal(result["readings"], undefined);
  });

  it("explains how to measure if the record contains nothing", async () => {
    const result = await usage({ gpu: "H100" });
    assert.deepEqual(result["readings"], []);
    assert.match(String(result["note"]), /nvidia-smi/);
  });
});

describe("The tool list_models", () => {
  it("returns models with what is known about them", async () => {
    const { models } = await callTool("list_models", { profile: "Plain" });
    assert.deepEqual(models, [
      {
        profile: "Plain",
        id: "org/small",
        isDefault: true,
        contextTokens: 8_000,
        pricePerMillionTokens: { input: 1, output: 2, currency: "EUR", source: "user's settings" },
      },
      { profile: "Plain", id: "org/eyes", inputs: { image: true } },
    ]);
  });

  it("filters by text and by input, and names profiles without models", async () => {
    const result = await callTool("list_models", { input: "image", text: "ORG eye" });
    assert.equal(result["matching"], 2);
    const first = await callTool("list_models", { input: "image", text: "ORG eye", limit: 1 });
    assert.equal(first["next"], 1);
    const second = await callTool("list_models", { input: "image", text: "ORG eye", limit: 1, offset: 1 });
    assert.equal(second["next"], undefined);
    assert.notDeepEqual(second["models"], first["models"]);
    const none = await callTool("list_models", {}, { models: () => Promise.resolve([]) });
    assert.deepEqual(none["profilesWithoutInferenceServiceOrKey"], ["Lab", "Plain"]);
  });
});

describe("The tool check_gateway", () => {
  it("reports each service of each profile, and why one fails", async () => {
    const result = await callTool(
      "check_gateway",
      {},
      {
        checkInference: ({ name }) =>
          name === "Lab"
            ? Promise.resolve(7)
            : Promise.reject(new ServiceError({ reason: "apiKey", message: "Wrong key.", statusCode: 401 })),
      },
    );
    assert.ok(Array.isArray(result["profiles"]));
    const [lab, plain] = result["profiles"].filter(isRecord);
    assert.deepEqual(lab?.["inferenceService"], {
      address: "https://lab.example",
      isResponding: true,
      models: 7,
      milliseconds: 0,
    });
    assert.equal(isRecord(lab?.["gpuGateway"]) && lab["gpuGateway"]["isResponding"], true);
    assert.deepEqual(plain?.["inferenceService"], {
      address: "https://plain.example",
      isResponding: false,
      reason: "apiKey",
      statusCode: 401,
      problem: "Wrong key.",
    });
    assert.deepEqual(plain?.["gpuGateway"], { isConfigured: false });
  });

  it("doesn't call a gateway responsive while its list is still being requested", async () => {
    const servers = () => Promise.resolve([createSection(createServers(2), { isRefreshing: true })]);
    const { profiles: checked } = await callTool("check_gateway", { profile: "Lab" }, { servers });
    assert.ok(Array.isArray(checked) && isRecord(checked[0]) && isRecord(checked[0]["gpuGateway"]));
    assert.equal(checked[0]["gpuGateway"]["isResponding"], undefined);
    assert.match(String(checked[0]["gpuGateway"]["note"]), /hasn't responded yet/);
  });
});

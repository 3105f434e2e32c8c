import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isRecord, recordsIn, stringField } from "../../../../src/core/kernel/json.ts";
import type { JsonRecord } from "../../../../src/core/kernel/json.ts";
import { fillAction, fillConsole } from "../../../../src/core/servers/actions/fillAction.ts";
import { appliesTo, isDone, readCloudActions } from "../../../../src/core/servers/actions/serverAction.ts";
import type { ActionKind, ServerAction } from "../../../../src/core/servers/actions/serverAction.ts";
import type { Server } from "../../../../src/core/servers/server.ts";
import { createServer } from "../../../support/serverSections.ts";

const fact = (value: string, source = "id") => ({ value, source });

function readOne(entry: unknown): ServerAction {
  const { actions, problems } = readCloudActions({ actions: [entry] });
  assert.deepEqual(problems, []);
  assert.ok(actions[0]);
  return actions[0];
}

function serverOf(record: JsonRecord, parts: Partial<Server> = {}): Server {
  return createServer("k", { id: fact(String(record["id"] ?? "srv-1")), record, ...parts });
}

const stop = {
  kind: "stop",
  name: "Stop",
  method: "POST",
  path: "/zones/{zone}/servers/{id}/action",
  query: { "api-version": "1", region: "{region}" },
  body: { action: "stop", ids: ["{id}"], note: "by {id}", nested: { force: true, of: "{owner.name}" } },
};

const kinds: Readonly<Record<string, ActionKind>> = {
  start: "start",
  poweron: "start",
  power_on: "start",
  stop: "stop",
  shutdown: "stop",
  poweroff: "stop",
  deallocate: "stop",
  halt: "stop",
  restart: "reboot",
  reboot: "reboot",
};
const clouds = recordsIn(
  (
    JSON.parse(
      readFileSync(new URL("../../../fixtures/cloudActions.json", import.meta.url), "utf8"),
    ) as JsonRecord
  )["clouds"],
);
const azureId = "/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm";

describe("The actions of a cloud", () => {
  for (const cloud of clouds) {
    for (const { action, path = "", danger, ...entry } of recordsIn(cloud["actions"])) {
      it(`${stringField(cloud, "cloud") ?? ""}: ${String(action)} becomes the request of its documentation`, () => {
        const isAzure = String(path).startsWith("{id}/");
        const read = readOne({
          ...entry,
          path,
          kind: kinds[String(action)] ?? "other",
          name: String(action),
          ...(danger === undefined ? {} : { billing: danger }),
          ...(isAzure ? { pathParameters: ["id"] } : {}),
        });
        const id = isAzure ? azureId : "srv-1";
        const server = serverOf({ id, instance_id: "srv-1", zone: "fr-par-2" });
        const filled = fillAction(read, server);
        assert.ok("draft" in filled, JSON.stringify(filled));
        const { draft } = filled;
        const fill = (text: string): string =>
          text.replace("{id}", id).replace("{zone}", "fr-par-2").replace("{instance_id}", "srv-1");
        assert.equal(draft.path, fill(String(path)));
        assert.equal(draft.method, entry["method"]);
        assert.deepEqual(
          draft.body === undefined ? undefined : JSON.parse(draft.body),
          entry["body"] === undefined ? undefined : JSON.parse(fill(JSON.stringify(entry["body"]))),
        );
        assert.deepEqual(Object.fromEntries(draft.parameters), entry["query"] ?? {});
        for (const word of entry["appliesTo"] as readonly string[])
          assert.equal(appliesTo(read, { ...server, statusText: fact(word) }), true, word);
        assert.equal(appliesTo(read, { ...server, statusText: fact("archived") }), false);
        for (const word of entry["doneWhen"] as readonly string[])
          assert.equal(isDone(read, { ...server, statusText: fact(word) }), true, word);
      });
    }
  }

  it("keep the structure of the request whatever the record contains, and the type of its values", () => {
    const server = serverOf({ id: 42, zone: "eu & 1", region: "a=b&c", owner: { name: 'x","y":"' } });
    assert.deepEqual(fillAction(readOne(stop), server), {
      draft: {
        isOnce: true,
        method: "POST",
        path: "/zones/eu%20%26%201/servers/42/action",
        parameters: [
          ["api-version", "1"],
          ["region", "a=b&c"],
        ],
        body: JSON.stringify({
          action: "stop",
          ids: [42],
          note: "by {id}",
          nested: { force: true, of: 'x","y":"' },
        }),
      },
    });
  });

  for (const value of [
    ...[
      "a/b",
      "a\\b",
      "a%2fb",
      "..",
      "a..b",
      ".",
      "a\nb",
      "a\u202eb",
      "a\u0000",
      "a\u200bb",
      "",
      "x".repeat(201),
    ],
    ...[undefined, null, {}, ["a", "b"]],
  ]) {
    it(`aren't sent for a server whose ID is ${JSON.stringify(value)?.slice(0, 40)}`, () => {
      const action = readOne({
        kind: "stop",
        name: "Stop",
        method: "POST",
        path: "/s/{id}/stop",
        body: ["{id}"],
      });
      const filled = fillAction(action, createServer("k", { id: undefined, record: { id: value } }));
      assert.match("problem" in filled ? filled.problem : "", /“Stop” can't be sent/);
    });
  }

  for (const id of [
    "//evil.example/x",
    "/a//b",
    "/a/../b",
    "/a/%2e%2e",
    "/a\\b",
    "a/b",
    "/",
    "/a\n/b",
    `/${"x".repeat(201)}`,
  ])
    it(`aren't sent for a path parameter ${JSON.stringify(id).slice(0, 30)}`, () => {
      const entry = { kind: "stop", name: "Stop", method: "POST", path: "{id}/stop", pathParameters: ["id"] };
      assert.ok("problem" in fillAction(readOne(entry), serverOf({ id })), id);
    });

  it("never take the ID of something else, or a secret, for the server", () => {
    const action = (field: string) =>
      readOne({ kind: "stop", name: "Stop", method: "POST", path: `/s/{${field}}/stop` });
    const server = createServer("k", {
      id: fact("srv-9", "instanceId"),
      record: { instanceId: "srv-9", flavor: { id: "h100" }, disk: { volume_id: "v" }, password: "canary" },
    });
    assert.deepEqual("draft" in fillAction(action("id"), server), true);
    assert.match(JSON.stringify(fillAction(action("id"), server)), /\/s\/srv-9\/stop/);
    assert.match(JSON.stringify(fillAction(action("instance_id"), server)), /\/s\/srv-9\/stop/);
    assert.ok("problem" in fillAction(action("volume_id"), server));
    assert.match(JSON.stringify(fillAction(action("disk.volume_id"), server)), /\/s\/v\/stop/);
    assert.doesNotMatch(JSON.stringify(fillAction(action("password"), server)), /canary/);
    assert.equal(appliesTo(action("id"), { ...server, id: undefined }), false, "without an ID");
  });

  for (const [what, change] of Object.entries<JsonRecord>({
    "another host": { path: "https://evil.example/stop" },
    "another host without a scheme": { path: "//evil.example/stop" },
    "a field as host": { path: "{host}/stop" },
    "a path that climbs": { path: "/a/../b" },
    "an encoded path that climbs": { path: "/a/%2e%2E/b" },
    "a backslash in its path": { path: "/a\\b" },
    "a brace in its path": { path: "/a/{id" },
    "a query in its path": { path: "/a?x=1" },
    "a credential in its query": { query: { access_key: "x" } },
    "an invisible character in its name": { name: "Stop\u202e" },
    "a line feed in its name": { name: "Stop\nStart" },
    "an invisible character in its path": { path: "/a\u200b/b" },
    "a line feed in its text": { billing: "Free.\n\nNothing is deleted." },
    "an invisible character in its text": { data: "Nothing\u2066 is deleted" },
    "an invisible character in its body": { body: { a: "x\u202ey" } },
    "an invisible name in its body": { body: { "a\u200b": 1 } },
    "a huge body": { body: { a: "x".repeat(10_001) } },
    "a huge text": { billing: "x".repeat(501) },
    "a number that loses digits": { body: { id: 12345678901234567890 } },
    "a body of a GET request": { method: "GET" },
    "an unknown method": { method: "TRACE" },
    "an unknown kind": { kind: "delete" },
    "an unknown option": { host: "evil.example" },
    "no name": { name: " " },
  })) {
    it(`are refused with ${what}`, () => {
      const { actions, problems } = readCloudActions({ actions: [{ ...stop, ...change }] });
      assert.deepEqual([actions.length, problems.length], [0, 1]);
      assert.match(problems[0] ?? "", /can't be used/);
    });
  }

  it("are refused with a body that is nested endlessly, and as anything but a list", () => {
    let body: unknown = {};
    for (let depth = 0; depth < 50_000; depth++) body = [body];
    assert.equal(readCloudActions({ actions: [{ ...stop, body }] }).problems.length, 1);
    for (const value of [undefined, 1, "x", [], { actions: "x" }])
      assert.deepEqual(readCloudActions(value), { actions: [], problems: [] });
    const many = readCloudActions({ actions: Array.from({ length: 150 }, () => stop) });
    assert.deepEqual([many.actions.length, many.problems.length], [100, 1]);
  });

  it("may use several lines in a body, such as a GraphQL query, where braces stay as they are", () => {
    const query = "mutation($id: String!) {\n  stop(id: $id) {id}\n}";
    const entry = { ...stop, body: { query, variables: { id: "{id}" } }, query: {}, path: "/graphql" };
    const filled = fillAction(readOne(entry), serverOf({ id: "s" }));
    assert.deepEqual("draft" in filled && JSON.parse(filled.draft.body ?? ""), {
      query,
      variables: { id: "s" },
    });
  });
});

describe("The link to a server's page in the console", () => {
  it("is an http(s) link whose host is fixed, with encoded values", () => {
    const link = "https://console.example.com/servers/{id}?zone={zone}";
    assert.equal(readCloudActions({ console: link }).console, link);
    const server = serverOf({ id: "a b", zone: "x&y=1#z" });
    assert.equal(fillConsole(link, server), "https://console.example.com/servers/a%20b?zone=x%26y%3D1%23z");
    assert.equal(fillConsole(link, serverOf({ id: "../x", zone: "y" })), undefined);
  });

  for (const link of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "command:workbench.action.quit",
    "https://{id}.example.com/",
    "https://a@evil.example/{id}",
    "https://a\\@evil.example/",
    "https://console.example.com/\n{id}",
    "https://console.example.com/\u202e{id}",
    "//console.example.com/{id}",
    7,
  ])
    it(`isn't ${JSON.stringify(link)}`, () => {
      const { console: read, problems } = readCloudActions({ console: link });
      assert.equal(read, undefined);
      assert.equal(problems.length, 1);
    });
});

describe("What an action applies to", () => {
  it("is the server's own word, or what its kind implies", () => {
    const action = (kind: string, states?: readonly string[]) =>
      readOne({ kind, name: "x", method: "POST", path: "/a", ...(states ? { appliesTo: states } : {}) });
    const server = (status: Server["status"], word?: string) =>
      createServer("k", { status, ...(word === undefined ? {} : { statusText: fact(word) }) });
    assert.equal(
      appliesTo(action("stop", ["stopped in place"]), server("stopped", "Stopped_In-Place")),
      true,
    );
    assert.equal(appliesTo(action("stop", ["PowerState/running"]), server("running", "VM running")), false);
    assert.equal(appliesTo(action("stop", ["PowerState/running"]), server("running", "running")), true);
    assert.equal(appliesTo(action("stop"), server("stopped")), false);
    assert.equal(appliesTo(action("start"), server("stopped", "Off")), true);
    assert.ok(isRecord(action("reboot")));
    assert.equal(appliesTo(action("reboot"), server("error")), true);
  });
});

import assert from "node:assert/strict";
import { needsApiKey } from "../../../../src/core/account/profile.ts";
import { parseProfiles } from "../../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../../src/core/account/profile.ts";
import type { Server } from "../../../../src/core/servers/server.ts";
import {
  endpointPorts,
  endpointProfile,
  endpointUrl,
  freeProfileName,
} from "../../../../src/core/servers/connect/modelEndpoint.ts";

const server = (record: unknown): Server => ({
  key: "a",
  status: "running",
  address: { value: "203.0.113.7", source: "ip" },
  record,
});

function profileOf(name: string, url: string): Profile {
  const { profiles, problems } = parseProfiles([endpointProfile(name, url)]);
  assert.deepEqual(problems, []);
  const [profile] = profiles;
  assert.ok(profile !== undefined);
  return profile;
}

describe("The ports on which a server may offer models", () => {
  it("are the record's own with model ports first, followed by the usual ones", () => {
    const record = {
      ports: ["22/tcp", "8888/http", { privatePort: 8000, publicPort: 41_234 }, { port: 9000, name: "vllm" }],
    };
    assert.deepEqual(
      endpointPorts(server(record)).map(({ port, inner, source }) => [port, inner, source ?? ""].join(" ")),
      [
        "9000 9000 ports[3]",
        "41234 8000 ports[2]",
        "8888 8888 ports[1]",
        "8080 8080 ",
        "11434 11434 ",
        "1234 1234 ",
        "30000 30000 ",
      ],
    );
  });

  it("use https if the record specifies it", () => {
    assert.equal(endpointPorts(server({ https_port: 8443 }))[0]?.scheme, "https");
    assert.equal(endpointPorts(server({}))[0]?.scheme, "http");
  });
});

describe("The profile of a model endpoint", () => {
  it("requires no key, and allows plain HTTP only because the user chose it", () => {
    const open = profileOf("a", endpointUrl("203.0.113.7", 8000));
    assert.equal(open.inferenceBaseUrl, "http://203.0.113.7:8000/v1");
    assert.equal(open.allowInsecureHttp, true);
    assert.equal(needsApiKey(open), false);
    const safe = profileOf("a", "https://[2001:db8::1]:8443/v1");
    assert.equal(safe.allowInsecureHttp, false);
    assert.equal(needsApiKey(safe), false);
    const local = profileOf("a", endpointUrl("127.0.0.1", 8000));
    assert.deepEqual([local.allowInsecureHttp, local.apiKeyOptional], [false, undefined]);
    assert.equal(needsApiKey(local), false);
  });

  it("requires a key for any other address", () => {
    const [profile] = parseProfiles([{ name: "a", inferenceBaseUrl: "https://a.example/v1" }]).profiles;
    assert.ok(profile !== undefined && needsApiKey(profile));
  });

  it("uses the server's name if it is free and valid", () => {
    assert.equal(freeProfileName("trainer", []), "trainer");
    assert.equal(freeProfileName("trainer", ["trainer", "trainer (2)"]), "trainer (3)");
    for (const name of ["", "\u202e\n", "x".repeat(5_000), "a\u0000b\u200bc", "  "]) {
      assert.deepEqual(
        parseProfiles([endpointProfile(freeProfileName(name, []), "http://127.0.0.1:1/v1")]).problems,
        [],
      );
    }
  });
});

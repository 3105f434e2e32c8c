import assert from "node:assert/strict";
import type { Profile } from "../../../src/core/account/profile.ts";
import { listedProfiles } from "../../../src/core/servers/serverLists.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";

const profile = (name: string, rest: Partial<Profile> = {}): Profile => ({
  ...gatewayProfile,
  name,
  ...rest,
});
const namesOf = (all: readonly Profile[], active?: Profile): readonly string[] =>
  listedProfiles(all, active).map(({ profileName }) => profileName);

describe("the profiles whose servers are shown", () => {
  const chat = profile("chat");
  const cloud = profile("cloud", {
    gatewayUrl: "https://gate.example:8443",
    production: true,
    color: "red",
  });

  it("are those with a gateway", () => {
    assert.deepEqual(namesOf([chat, cloud], chat), ["cloud"]);
  });

  it("are the active one where none has a gateway", () => {
    assert.deepEqual(namesOf([chat, profile("other")], chat), ["chat"]);
  });

  it("have a stand-in if there is none at all", () => {
    assert.deepEqual(namesOf([]), [""]);
  });

  it("name the gateway by host and port", () => {
    assert.equal(listedProfiles([cloud], cloud)[0]?.host, "gate.example:8443");
  });

  it("stay the same when only their color changes, and are others when their address does", () => {
    const identityOf = (each: Profile): string | undefined => listedProfiles([each], each)[0]?.identity;
    assert.equal(identityOf({ ...cloud, color: "blue" }), identityOf(cloud));
    assert.notEqual(identityOf({ ...cloud, gatewayUrl: "https://other.example" }), identityOf(cloud));
  });
});

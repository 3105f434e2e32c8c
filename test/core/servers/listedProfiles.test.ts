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

describe("The profiles whose servers are shown", () => {
  const chat = profile("chat");
  const cloud = profile("cloud", {
    gatewayUrl: "https://gate.example:8443",
    production: true,
    color: "red",
  });

  it("are those with a gateway", () => {
    assert.deepEqual(namesOf([chat, cloud], chat), ["cloud"]);
  });

  it("begin with the active one, and keep the order of the others", () => {
    const [first, second, third] = ["a", "b", "c"].map((name) => ({ ...cloud, name }));
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    assert.deepEqual(namesOf([first, second, third], third), ["c", "a", "b"]);
  });

  it("fall back to the active one if none has a gateway", () => {
    assert.deepEqual(namesOf([chat, profile("other")], chat), ["chat"]);
  });

  it("contain a placeholder if there are no profiles", () => {
    assert.deepEqual(namesOf([]), [""]);
  });

  it("show the gateway by host and port", () => {
    assert.equal(listedProfiles([cloud], cloud)[0]?.host, "gate.example:8443");
  });

  it("keep their identity when only the color changes, but not when the address changes", () => {
    const identityOf = (each: Profile): string | undefined => listedProfiles([each], each)[0]?.identity;
    assert.equal(identityOf({ ...cloud, color: "blue" }), identityOf(cloud));
    assert.notEqual(identityOf({ ...cloud, gatewayUrl: "https://other.example" }), identityOf(cloud));
  });
});

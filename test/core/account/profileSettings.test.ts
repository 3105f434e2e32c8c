import assert from "node:assert/strict";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import {
  activeProblem,
  chooseActive,
  putProfile,
  splitProfiles,
  withLocalProfile,
} from "../../../src/core/account/profileSettings.ts";

describe("putProfile", () => {
  it("appends a new profile and keeps entries that it can't read", () => {
    const before = [null, "x", { name: "A", headers: { a: "b" } }];
    assert.deepEqual(putProfile(before, { name: "B", gatewayUrl: "https://g.example" }), [
      ...before,
      { name: "B", gatewayUrl: "https://g.example" },
    ]);
  });

  it("updates the profile with that name in place and keeps its other options", () => {
    const before = [
      { name: "A ", gatewayUrl: "https://old.example", gatewayCredential: "stsToken" },
      { name: "B" },
    ];
    assert.deepEqual(putProfile(before, { name: "A", gatewayUrl: "https://new.example" }), [
      { name: "A", gatewayUrl: "https://new.example", gatewayCredential: "stsToken" },
      { name: "B" },
    ]);
    assert.equal(before[0]?.gatewayUrl, "https://old.example");
  });

  it("starts a new list if the setting isn't one", () => {
    for (const value of [undefined, null, {}, "x"])
      assert.deepEqual(putProfile(value, { name: "A" }), [{ name: "A" }]);
  });
});

describe("withLocalProfile", () => {
  const cloud = { name: "Cloud" };
  const local = { name: "Local gateway", inferenceBaseUrl: "http://127.0.0.1:5555/v1" };

  it("keeps the local gateway's address out of what is synced to other machines", () => {
    const all = withLocalProfile([cloud], local, "");
    assert.deepEqual(all, [cloud, local]);
    assert.deepEqual(splitProfiles(all), { synced: [cloud], local });
    assert.deepEqual(withLocalProfile([local, cloud], local, ""), [cloud, local]);
    assert.equal(withLocalProfile(undefined, undefined, "Cloud"), undefined);
  });

  it("has the local gateway's profile while it is active, even if its entry hasn't arrived from another window", () => {
    const { profiles } = parseProfiles(withLocalProfile([cloud], undefined, "Local gateway"));
    assert.deepEqual(
      profiles.map(({ gatewayUrl }) => gatewayUrl),
      [undefined, "http://127.0.0.1:47913"],
    );
  });
});

describe("chooseActive", () => {
  const { profiles } = parseProfiles([
    { name: "A", gatewayUrl: "https://a.example" },
    { name: "B", gatewayUrl: "https://b.example" },
  ]);

  it("selects the named profile, or the first if no name is set", () => {
    assert.equal(chooseActive(profiles, "B")?.name, "B");
    assert.equal(chooseActive(profiles, "")?.name, "A");
    assert.equal(chooseActive(profiles, undefined)?.name, "A");
    assert.equal(chooseActive([], ""), undefined);
  });

  it("selects no profile and reports a problem if none has the name, so nothing goes to another server", () => {
    assert.equal(chooseActive(profiles, "C"), undefined);
    assert.match(activeProblem(profiles, "C") ?? "", /“C” doesn't exist/);
    assert.equal(activeProblem(profiles, "A"), undefined);
    assert.equal(activeProblem(profiles, ""), undefined);
  });
});

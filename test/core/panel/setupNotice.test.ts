import assert from "node:assert/strict";
import { setupNotice } from "../../../src/core/panel/setupNotice.ts";
import type { SetupState } from "../../../src/core/panel/setupNotice.ts";

const ready: SetupState = {
  profileName: "Cloud",
  inferenceBaseUrl: "https://inference.example/v1",
  hasApiKey: true,
  needsApiKey: true,
  isLocalGatewayProfile: false,
  isLocalGatewayRunning: false,
  problems: [],
};
const actions = (state: SetupState): readonly string[] | undefined => setupNotice(state)?.actions;

describe("setupNotice", () => {
  it("shows nothing when everything is ready", () => {
    assert.equal(setupNotice(ready), undefined);
  });

  it("offers to add a profile or start the local gateway if there is no profile", () => {
    const newcomer: SetupState = { ...ready, hasApiKey: false };
    delete (newcomer as { profileName?: string }).profileName;
    assert.deepEqual(actions(newcomer), ["addProfile", "startLocalGateway"]);
  });

  it("asks for the missing key, with the profile's name", () => {
    const state = { ...ready, hasApiKey: false };
    assert.match(setupNotice(state)?.message ?? "", /“Cloud” has no API key/);
    assert.deepEqual(actions(state), ["setApiKey"]);
  });

  it("requires no key for a server on this machine", () => {
    assert.equal(setupNotice({ ...ready, hasApiKey: false, needsApiKey: false }), undefined);
  });

  it("offers to start a local gateway that is not running", () => {
    assert.deepEqual(actions({ ...ready, isLocalGatewayProfile: true }), ["startLocalGateway"]);
    assert.equal(
      setupNotice({ ...ready, isLocalGatewayProfile: true, isLocalGatewayRunning: true }),
      undefined,
    );
  });

  it("shows what is wrong with the settings if no profile can be read", () => {
    const broken: SetupState = { ...ready, problems: ["Profile 1 has no name."] };
    delete (broken as { profileName?: string }).profileName;
    assert.equal(setupNotice(broken)?.message, "Profile 1 has no name.");
  });
});

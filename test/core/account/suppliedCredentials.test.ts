import assert from "node:assert/strict";
import { secretTexts } from "../../../src/core/account/credentialKinds.ts";
import { SuppliedCredentials } from "../../../src/core/account/suppliedCredentials.ts";
import type { SourceReading, SupplyRequest } from "../../../src/core/account/suppliedCredentials.ts";

const request: SupplyRequest = {
  profileName: "Cloud",
  kind: "stsToken",
  origin: "https://gateway.example.com",
  source: { from: "command", command: ["example-token"] },
};

const start = Date.UTC(2026, 0, 1);

describe("Credentials that a source supplies", () => {
  let now = start;
  let readings: SourceReading[] = [];

  /** A window with the clock and the outputs above. */
  function openWindow(): SuppliedCredentials {
    return new SuppliedCredentials({
      confirm: () => Promise.resolve(true),
      read: () => Promise.resolve(readings.shift() ?? { problem: "The tool is signed out." }),
      remember: () => undefined,
      log: () => undefined,
      now: () => now,
    });
  }

  const token = (value: string, expiresInSeconds: number): SourceReading => ({
    text: JSON.stringify({ token: value, expires_in: expiresInSeconds }),
  });

  beforeEach(() => {
    now = start;
    readings = [];
  });

  it("are kept by each window until shortly before they expire", async () => {
    const tokens: unknown[] = [];
    const windows = [openWindow(), openWindow()];
    readings = [1, 2, 3, 4].map((number) => token(`canary-token-${number}`, 3_600));
    for (const atSeconds of [0, 3_539, 3_541]) {
      now = start + atSeconds * 1_000;
      for (const supplies of windows) {
        const result = await supplies.obtain(request);
        tokens.push(result.state === "present" && secretTexts(result.credential)[0]);
      }
    }
    assert.deepEqual(
      tokens,
      [1, 2, 1, 2, 3, 4].map((number) => `canary-token-${number}`),
    );
  });

  it("are requested again for a user who renews them", async () => {
    const supplies = openWindow();
    readings = [token("canary-token-1", 3_600), token("canary-token-2", 3_600)];
    await supplies.obtain(request);
    supplies.invalidate(request);
    await supplies.obtain(request);
    const result = await supplies.obtain(request);
    assert.deepEqual(result.state === "present" && secretTexts(result.credential), ["canary-token-2"]);
  });

  it("are sent until the server rejects them, although they seem to have expired", async () => {
    readings = [
      token("token-0001", -60),
      { text: JSON.stringify({ token: "token-0002", exp: start / 1_000 }) },
    ];
    const supplies = openWindow();
    for (const value of ["token-0001", "token-0001"]) {
      const result = await supplies.obtain(request);
      assert.deepEqual(result.state === "present" && result.credential, { kind: "stsToken", token: value });
    }
    const renewed = await supplies.obtain(request, { kind: "stsToken", token: "token-0001" });
    assert.equal(renewed.state === "present" && renewed.expiresAt, undefined);
  });

  it("are used until they expire while their source fails, even by requests right after the failure", async () => {
    const supplies = openWindow();
    readings = [token("first-canary-token", 3_600)];
    const states: string[] = [];
    const obtain = async (atSeconds: number): Promise<void> => {
      now = start + atSeconds * 1_000;
      states.push((await supplies.obtain(request)).state);
    };
    await obtain(0);
    await obtain(3_570);
    await obtain(3_571);
    await obtain(3_601);
    assert.deepEqual(states, ["present", "present", "present", "unavailable"]);
  });
});

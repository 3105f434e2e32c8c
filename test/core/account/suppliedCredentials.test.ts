import assert from "node:assert/strict";
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
  function openWindow(
    ask: (refused: string | undefined) => Promise<string | undefined>,
  ): SuppliedCredentials {
    return new SuppliedCredentials({
      confirm: () => Promise.resolve(true),
      read: () => Promise.resolve(readings.shift() ?? { problem: "The tool is signed out." }),
      share: () => ({ ask, close: () => undefined }),
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

  it("are used until they expire while their source fails, even by requests right after the failure", async () => {
    const supplies = openWindow(() => Promise.resolve(undefined));
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

  it("are requested again for a user who renews them in a window that doesn't run the command", async () => {
    const asked: (string | undefined)[] = [];
    const supplies = openWindow((refused) => {
      asked.push(refused);
      return Promise.resolve(JSON.stringify({ value: `canary-token-${asked.length}`, obtainedAt: now }));
    });
    await supplies.obtain(request);
    supplies.invalidate(request);
    await supplies.obtain(request);
    await supplies.obtain(request);
    assert.deepEqual(asked, [undefined, "canary-token-1"]);
  });
});

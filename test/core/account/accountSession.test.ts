import assert from "node:assert/strict";
import { listSessions, sessionsBeside } from "../../../src/core/account/accountSession.ts";
import type { StoredSecret } from "../../../src/core/account/storedSecret.ts";

function token(profileName: string, kind: StoredSecret["kind"] = "sessionToken"): StoredSecret {
  const facts = { origin: "https://g.example", savedAt: 0, lastFour: "abcd" };
  return { profileName, kind, facts };
}

describe("Account sessions in VS Code's Accounts menu", () => {
  it("list the session tokens of existing profiles only", () => {
    const secrets = [token("A"), token("Gone"), token("B", "stsToken")];
    assert.deepEqual(listSessions(secrets, ["A", "B"]), [{ id: "A", label: "A (g.example)" }]);
  });

  it("are told apart by their profiles, whatever their labels are", () => {
    const [a, b, c] = ["A", "B", "C"].map((id) => ({ id, label: id }));
    assert.ok(a && b && c);
    assert.deepEqual(sessionsBeside([{ ...b, label: "B (elsewhere)" }, c], [a, b]), [c]);
  });
});

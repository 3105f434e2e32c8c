import assert from "node:assert/strict";
import { checkSettings } from "../../../src/core/diagnosis/checkSettings.ts";

describe("Checking the settings of a profile", () => {
  it("offers to swap two URLs that are in each other's place", () => {
    const finding = checkSettings(
      {
        name: "Lab",
        inferenceBaseUrl: "https://g.example/gpu/api/v1/servers",
        gatewayUrl: "https://a.example/v1/chat/completions",
      },
      "Lab",
    );
    assert.deepEqual(finding.remedies, [
      {
        remedy: "changeProfile",
        label: "Swap the two URLs",
        profileName: "Lab",
        change: { inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" },
      },
    ]);
  });

  it("reports a URL that can't be used as a failure, and one that can be used as a warning", () => {
    const status = (inferenceBaseUrl: string) =>
      checkSettings({ name: "Lab", inferenceBaseUrl }, "Lab").status;
    assert.equal(status("a.example/v1"), "failed");
    assert.equal(status("https://a.example"), "warning");
    assert.equal(status("https://a.example/v1"), "passed");
  });
});

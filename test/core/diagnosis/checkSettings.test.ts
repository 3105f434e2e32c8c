import assert from "node:assert/strict";
import { suggestBaseUrl } from "../../../src/core/diagnosis/checkSettings.ts";

describe("Suggesting a base URL", () => {
  const inference: readonly (readonly [written: string, meant: string | undefined])[] = [
    ["https://a.example/v1", undefined],
    ["http://127.0.0.1:8000/v1", undefined],
    ["a.example/v1", "https://a.example/v1"],
    ["localhost:8000/v1", "http://localhost:8000/v1"],
    ["http://a.example/v1", "https://a.example/v1"],
    ["https:/a.example/v1", "https://a.example/v1"],
    ["https//a.example/v1", "https://a.example/v1"],
    ["htps://a.example/v1", "https://a.example/v1"],
    ["//a.example/v1", "https://a.example/v1"],
    ["https://a.example", "https://a.example/v1"],
    ["https://a.example/", "https://a.example/v1"],
    ["https://a.example/v1/", "https://a.example/v1"],
    ["https://a.example/v1/v1", "https://a.example/v1"],
    ["https://a.example//v1", "https://a.example/v1"],
    ["https://a.example/v1/chat/completions", "https://a.example/v1"],
    ["https://a.example/v1/models", "https://a.example/v1"],
    ["<https://a.example/v1>", "https://a.example/v1"],
    ["“https://a.example/v1”,", "https://a.example/v1"],
    ["https://name:canary-password@a.example/v1", "https://a.example/v1"],
    ["https://a.example/v1?api_key=canary-key", "https://a.example/v1"],
    ["https:\\\\a.example\\v1", "https://a.example/v1"],
    ["ftp://a.example/v1", undefined],
    ["", undefined],
  ];

  for (const [written, meant] of inference) {
    it(`for the inference service returns ${meant ?? "nothing"} for ${JSON.stringify(written)}`, () => {
      assert.equal(suggestBaseUrl(written, "inference"), meant);
    });
  }

  const gateway: readonly (readonly [written: string, meant: string | undefined])[] = [
    ["https://g.example", undefined],
    ["https://g.example/", "https://g.example"],
    ["https://g.example/gpu/api/v1/servers?pageIdx=1", "https://g.example"],
    ["https://g.example/gpu/api/v1", "https://g.example"],
    ["https://g.example/gpu", "https://g.example"],
    ["https://g.example/base/gpu/api/v1/", "https://g.example/base"],
    ["https://g.example/v1", "https://g.example"],
    ["g.example:8443", "https://g.example:8443"],
  ];

  for (const [written, meant] of gateway) {
    it(`for the gateway returns ${meant ?? "nothing"} for ${JSON.stringify(written)}`, () => {
      assert.equal(suggestBaseUrl(written, "gateway"), meant);
    });
  }
});

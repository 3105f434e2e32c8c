import assert from "node:assert/strict";
import { findInVariables } from "../../../src/core/account/environmentProfiles.ts";

function summarise(variables: Readonly<Record<string, string | undefined>>) {
  return findInVariables(variables).map(({ profile, credentials }) => ({
    name: profile.name,
    urls: [profile.inferenceBaseUrl, profile.gatewayUrl],
    uses: profile.gatewayCredential,
    kinds: credentials.map(({ kind }) => kind),
  }));
}

describe("Profiles in environment variables", () => {
  it("are detected by a shared prefix and a valid address", () => {
    const found = summarise({
      OPENAI_BASE_URL: "https://a.example/v1",
      OPENAI_API_KEY: "CANARY-1",
      MY_CLOUD_GATEWAY_URL: "https://g.example/gpu/api/v1/servers",
      MY_CLOUD_STS_TOKEN: "CANARY-2",
      AWS_ACCESS_KEY_ID: "no address",
      AWS_SECRET_ACCESS_KEY: "no address",
      GITHUB_API_KEY: "no address",
      HOME: "/root",
      EMPTY_BASE_URL: undefined,
    });
    assert.deepEqual(found, [
      { name: "Openai", urls: ["https://a.example/v1", undefined], uses: "accessKey", kinds: ["apiKey"] },
      { name: "My Cloud", urls: [undefined, "https://g.example"], uses: "stsToken", kinds: ["stsToken"] },
    ]);
  });

  it("may have the product's own prefix or no prefix", () => {
    assert.deepEqual(
      summarise({
        INFERENCE_GATEWAY_BASE_URL: "https://a.example/v1",
        INFERENCE_GATEWAY_URL: "https://g.example",
        INFERENCE_GATEWAY_SESSION_TOKEN: "CANARY",
        GATEWAY_URL: "https://h.example",
        ACCESS_KEY: "AK",
        API_SECRET: "secret",
      }),
      [
        {
          name: "Inference Gateway",
          urls: ["https://a.example/v1", "https://g.example"],
          uses: "sessionToken",
          kinds: ["sessionToken"],
        },
        {
          name: "Environment",
          urls: [undefined, "https://h.example"],
          uses: "accessKey",
          kinds: ["accessKey"],
        },
      ],
    );
  });

  it("ignore credentials without a matching URL, incomplete pairs and placeholders", () => {
    const [found] = summarise({
      LAB_BASE_URL: "https://a.example/v1",
      LAB_API_KEY: "your-key-here",
      LAB_ACCESS_KEY: "AK",
      LAB_STS_TOKEN: "CANARY",
    });
    assert.deepEqual(found?.kinds, []);
  });

  it("are ignored if the address is not a valid URL", () => {
    assert.deepEqual(summarise({ X_BASE_URL: "javascript:alert(1)", X_API_KEY: "CANARY" }), []);
    assert.deepEqual(summarise({ X_BASE_URL: "/usr/lib", X_GATEWAY_URL: "" }), []);
  });
});

import assert from "node:assert/strict";
import { readPastedVariables } from "../../../src/core/account/environmentProfiles.ts";
import {
  emptyProfileForm,
  formOfProfile,
  formToKeep,
  parseEnteredSecrets,
  parseProfileForm,
  readProfileForm,
} from "../../../src/core/account/profileForm.ts";
import type { EnteredSecrets, ProfileForm } from "../../../src/core/account/profileForm.ts";
import { fromProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import type { FromProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { putProfile } from "../../../src/core/account/profileSettings.ts";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { checkRules } from "../../support/checkRules.ts";

const now = Date.UTC(2026, 10, 22);
const filled: ProfileForm = {
  ...emptyProfileForm,
  name: "Lab",
  inferenceBaseUrl: "https://i.example/v1/chat/completions",
  gatewayUrl: "https://g.example/gpu/api/v1",
};

function read(form: Partial<ProfileForm>, secrets: EnteredSecrets = {}) {
  return readProfileForm({ ...filled, ...form }, { secrets, takenNames: ["Taken"], now });
}

describe("The form for a profile", () => {
  it("isn't kept on disk with a credential that was entered into the wrong field", () => {
    assert.deepEqual(formToKeep(filled), filled);
    const wrong = {
      name: "sk-proj-abcdefghijklmnop",
      inferenceBaseUrl: "https://user:canary@i.example/v1",
      gatewayUrl: " https://user:p^|ss canary@g.example/",
      defaultModel: "Bearer canary",
    };
    const kept = formToKeep({ ...filled, ...wrong, consoleUrl: "https://c.example/@team" });
    assert.deepEqual(kept, { ...emptyProfileForm, consoleUrl: "https://c.example/@team" });
  });

  it("becomes a profile with addresses in their final form", () => {
    const { problems, options, profile } = read({ production: true });
    assert.deepEqual(problems, {});
    assert.equal(profile?.inferenceBaseUrl, "https://i.example/v1");
    assert.deepEqual(JSON.parse(JSON.stringify(options)), {
      name: "Lab",
      inferenceBaseUrl: "https://i.example/v1",
      gatewayUrl: "https://g.example",
      gatewayCredential: "accessKey",
      production: true,
    });
  });

  it("names the field of each problem", () => {
    const { problems, profile } = read(
      {
        name: "Taken",
        inferenceBaseUrl: "ftp://x",
        gatewayUrl: "https://user:pass@g.example",
        consoleUrl: "http://console.example",
        defaultModel: "two words",
      },
      { "apiKey.apiKey": "your-key" },
    );
    assert.deepEqual(Object.keys(problems).toSorted(), [
      "apiKey.apiKey",
      "consoleUrl",
      "defaultModel",
      "gatewayUrl",
      "inferenceBaseUrl",
      "name",
    ]);
    assert.equal(profile, undefined);
    assert.doesNotMatch(JSON.stringify(problems), /pass@|ftp:/);
  });

  it("needs a name and at least one address", () => {
    const { problems } = read({ name: " ", inferenceBaseUrl: "", gatewayUrl: " " });
    assert.deepEqual(Object.keys(problems).toSorted(), ["inferenceBaseUrl", "name"]);
  });

  it("accepts no incomplete key pair, and ignores credentials that it doesn't ask for", () => {
    const half = read({}, { "accessKey.accessKey": "AK" });
    assert.deepEqual(Object.keys(half.problems), ["accessKey.apiSecret"]);
    const other = read({ gatewayCredential: "stsToken" }, { "accessKey.accessKey": "AK" });
    assert.deepEqual([other.problems, other.credentials], [{}, []]);
    const without = read({ inferenceBaseUrl: "" }, { "apiKey.apiKey": "CANARY" });
    assert.deepEqual(without.credentials, []);
  });

  it("reads when an STS token expires, and what is wrong with a time", () => {
    const form = { gatewayCredential: "stsToken", stsExpiry: "55m" } as const;
    assert.equal(read(form).expiresAt, now + 55 * 60_000);
    assert.deepEqual(Object.keys(read({ ...form, stsExpiry: "soon" }).problems), ["stsExpiry"]);
  });

  it("restores what it shows of an existing profile, and keeps what it doesn't", () => {
    const entry = {
      name: "Lab",
      inferenceBaseUrl: "https://i.example/v1",
      headers: { "x-team": "a" },
      defaultModel: "a/b",
      consoleUrl: "https://console.example",
    };
    const [profile] = parseProfiles([entry]).profiles;
    assert.ok(profile !== undefined);
    const form = formOfProfile(profile);
    const { options } = readProfileForm(
      { ...form, defaultModel: "" },
      { secrets: {}, takenNames: [], existing: entry, now },
    );
    assert.deepEqual(putProfile([entry], options), [
      {
        name: "Lab",
        inferenceBaseUrl: "https://i.example/v1",
        headers: { "x-team": "a" },
        consoleUrl: "https://console.example",
      },
    ]);
  });
});

describe("Messages from the page of a profile's form", () => {
  it("are bounded and parsed, so that a page can't invent fields", () => {
    const form = parseProfileForm({
      name: "x".repeat(10_000),
      gatewayCredential: "root",
      proxy: "p",
      production: 1,
    });
    assert.equal(form.name.length, 200);
    assert.deepEqual({ ...form, name: "" }, emptyProfileForm);
    assert.deepEqual(
      parseEnteredSecrets({ "apiKey.apiKey": " ", "sessionToken.token": 1, __proto__: "x" }),
      {},
    );
    assert.deepEqual(parseEnteredSecrets({ "apiKey.apiKey": "x".repeat(20_000) }), {});
    for (const message of [
      { type: "checkAddress", role: "all", form },
      { type: "createKey", kind: "x", form },
    ])
      assert.equal(parseMessage<FromProfilePage>(fromProfilePage, message), undefined);
  });

  checkRules<FromProfilePage>(fromProfilePage, {
    ready: { type: "ready" },
    checkAddress: { type: "checkAddress", role: "gateway", form: filled },
    save: { type: "save", form: filled, secrets: { "apiKey.apiKey": "k" } },
    stop: { type: "stop" },
    cancel: { type: "cancel" },
    createKey: { type: "createKey", kind: "apiKey", form: filled },
    openSettings: { type: "openSettings" },
    startLocalGateway: { type: "startLocalGateway" },
    pageError: { type: "pageError", message: "oops" },
  });
});

describe("A pasted .env file", () => {
  it("fills in the variables of one profile and names the others", () => {
    const reading = readPastedVariables(
      "\ufeffexport LAB_BASE_URL='https://i.example/v1' # comment\r\nLAB_API_KEY=CANARY\r\nGPU_GATEWAY_URL=https://g.example\nGPU_STS_TOKEN=T\nAWS_ACCESS_KEY_ID=no\nNODE_ENV=x\nnot a line",
    );
    assert.ok("values" in reading);
    assert.equal(reading.name, "Lab");
    assert.deepEqual(Object.fromEntries(reading.values), {
      inferenceBaseUrl: "https://i.example/v1",
      "apiKey.apiKey": "CANARY",
      gatewayUrl: "https://g.example",
      "stsToken.token": "T",
    });
    assert.deepEqual(reading.ignored, ["AWS_ACCESS_KEY_ID", "NODE_ENV"]);
  });

  it("reads variables as the shells of every system write them", () => {
    const lines = [
      'declare -x CLOUD_API_KEY="CANARY"',
      "export CLOUD_API_KEY='CANARY';",
      '$Env:CLOUD_API_KEY = "CANARY"',
      "SET CLOUD_API_KEY=CANARY",
      "CLOUD_API_KEY=CANARY # mine",
    ];
    for (const line of lines) {
      const reading = readPastedVariables(
        `\ufeff# comment\r\nCLOUD_BASE_URL=https://a.example/v1\r\n${line}\r\n`,
      );
      assert.ok(!("problem" in reading), line);
      assert.equal([...reading.values.values()].at(-1), "CANARY", line);
    }
  });

  it("reads the variables after a value whose quotes aren't closed", () => {
    const reading = readPastedVariables(
      [
        "LAB_NOTE='tis unclosed",
        "LAB_BASE_URL='https://i.example/v1'",
        String.raw`LAB_FOLDER="C:\models\"`,
        'LAB_API_KEY="CANARY"',
      ].join("\n"),
    );
    assert.ok("values" in reading);
    assert.deepEqual(Object.fromEntries(reading.values), {
      inferenceBaseUrl: "https://i.example/v1",
      "apiKey.apiKey": "CANARY",
    });
  });

  it("fills in a lone key, but guesses nothing when two services could be meant", () => {
    const lone = readPastedVariables("OPENAI_API_KEY=CANARY");
    assert.ok("values" in lone);
    assert.deepEqual([...lone.values.keys()], ["apiKey.apiKey"]);
    assert.ok("problem" in readPastedVariables("OPENAI_API_KEY=a\nAWS_ACCESS_KEY_ID=b"));
    assert.ok("problem" in readPastedVariables("hello"));
  });

  it("is refused when it is too long", () => {
    assert.ok("problem" in readPastedVariables("A".repeat(100_001)));
  });
});

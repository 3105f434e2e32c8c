import assert from "node:assert/strict";
import type {
  SchemaValidator,
  SchemaVerdict,
} from "../../../../src/core/responses/structured/responseCheck.ts";
import { checkResponse } from "../../../../src/core/responses/structured/checkResponse.ts";
import { retryPrompt } from "../../../../src/core/responses/structured/problemText.ts";

function validator(verdict: SchemaVerdict): SchemaValidator {
  return { validate: () => Promise.resolve(verdict) };
}

const format = { type: "jsonSchema", name: "order", schema: {} } as const;
const required = { path: "/items/0", keyword: "required", detail: "price", message: "" };

describe("The check of a response", () => {
  it("reports a valid response", async () => {
    const check = await checkResponse("{}", format, validator({ state: "valid" }));
    assert.deepEqual(check, { state: "valid", hasSchema: true });
    assert.equal(retryPrompt(check), undefined);
  });

  it("skips the validator for text that isn't JSON, and mentions that in the retry prompt", async () => {
    const check = await checkResponse("Sorry, I can't.", format, {
      validate: () => Promise.reject(new Error("asked")),
    });
    assert.equal(check.state, "notJson");
    assert.match(retryPrompt(check) ?? "", /^Your response isn't valid JSON: .+\n\nRespond again/s);
  });

  it("describes the problems and sends the model all of them", async () => {
    const check = await checkResponse(
      "{}",
      format,
      validator({ state: "invalid", problems: [required, { ...required, path: "" }], more: 7 }),
    );
    assert.ok(check.state === "invalid");
    assert.deepEqual(check.problems[0], { path: "/items/0", message: "missing property “price”" });
    const prompt = retryPrompt(check) ?? "";
    assert.match(prompt, /- `\/items\/0`: missing property “price”\n- Raw value: /);
    assert.match(prompt, /- and 7 more\n/);
  });

  it("counts a limit of one in the singular", async () => {
    const messagesFor = async (detail: string): Promise<readonly string[]> => {
      const keywords = ["minLength", "maxItems", "minProperties", "maxProperties"];
      const problems = keywords.map((keyword) => ({ path: "", keyword, detail, message: "" }));
      const check = await checkResponse("{}", format, validator({ state: "invalid", problems, more: 0 }));
      assert.ok(check.state === "invalid");
      return check.problems.map(({ message }) => message);
    };
    assert.deepEqual(await messagesFor("1"), [
      "must have at least 1 character",
      "must have at most 1 item",
      "must have at least 1 property",
      "must have at most 1 property",
    ]);
    assert.deepEqual(await messagesFor("2"), [
      "must have at least 2 characters",
      "must have at most 2 items",
      "must have at least 2 properties",
      "must have at most 2 properties",
    ]);
  });

  it("uses the validator's message for a keyword without a message of its own", async () => {
    const raw = {
      path: "",
      keyword: "contains",
      detail: "",
      message: "must contain at least 1 valid item(s)",
    };
    const check = await checkResponse(
      "{}",
      format,
      validator({ state: "invalid", problems: [raw], more: 0 }),
    );
    assert.ok(check.state === "invalid");
    assert.equal(check.problems[0]?.message, raw.message);
  });

  it("requires an object if no schema is set", async () => {
    const none = validator({ state: "tooLong" });
    assert.deepEqual(await checkResponse("{}", { type: "jsonObject" }, none), {
      state: "valid",
      hasSchema: false,
    });
    assert.equal((await checkResponse("[]", { type: "jsonObject" }, none)).state, "invalid");
  });

  it("reports the schema, not the response, if the schema can't be used", async () => {
    for (const verdict of [{ state: "tooLong" }, { state: "badSchema", message: "no" }] as const) {
      const check = await checkResponse("{}", format, validator(verdict));
      assert.equal(check.state, "unchecked");
      assert.equal(retryPrompt(check), undefined);
    }
  });
});

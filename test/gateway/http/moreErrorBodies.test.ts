import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ErrorBody } from "../../../src/gateway/errors/errorMarkup.ts";
import { createResponseError } from "../../../src/gateway/http/errorResponse.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";

/** A body as documented by a cloud, a scheduler, a framework or an intermediary. */
interface BodyCase {
  readonly name: string;
  readonly status: number;
  readonly body: string;
  readonly expected: ErrorBody;
}

const cases: readonly BodyCase[] = JSON.parse(
  readFileSync(new URL("../../fixtures/more-error-bodies.json", import.meta.url), "utf8"),
);

describe("Error bodies of ninety more clouds and tools", () => {
  for (const { name, status, body, expected } of cases) {
    it(`contain code, message and request ID: ${name}`, () => {
      assert.deepEqual(parseErrorText(body), expected);
    });

    it(`are shown as a full sentence for a rejection by the gateway: ${name}`, () => {
      const url = new URL("https://gpu.example/gpu/api/v1/servers");
      const context = { kind: "gateway", credential: "accessKey", method: "GET", url } as const;
      const response = { statusCode: status, headers: {}, receivedAt: 0 };
      const { message } = createResponseError(response, parseErrorText(body), body, context);
      const said = expected.message?.replace(/\s+/g, " ").slice(0, 40) ?? "";
      assert.ok(message.includes(said.trim()), message);
      assert.match(message, /^[A-Z“].*[.!?”…]$/);
      assert.doesNotMatch(message, /undefined|\[object|null\b|<\w/);
    });
  }
});

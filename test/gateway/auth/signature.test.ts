import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createQuery, wellFormed } from "../../../src/gateway/auth/gatewayRequest.ts";
import type { Parameter } from "../../../src/gateway/auth/signature.ts";
import { messageToSign, sign } from "../../../src/gateway/auth/signature.ts";

/** Copied from the shared corpora: computed with Python, checked with openssl. Empty values are kept in all of them. */
const vectorsFile = new URL("../../fixtures/signature-vectors.json", import.meta.url);

interface Vector {
  readonly name: string;
  readonly params: readonly Parameter[];
  readonly nonce: string;
  readonly accessKey: string;
  readonly secret: string;
  readonly stringToSign: string;
  readonly hex: string;
  readonly base64: string;
  readonly ambiguousHere: Readonly<Record<string, string>>;
}

const { vectors } = JSON.parse(readFileSync(vectorsFile, "utf8")) as { readonly vectors: readonly Vector[] };

function request(vector: Vector, encoding: "hex" | "base64", emptyValues: "keep" | "omit" = "keep") {
  const credential = { kind: "accessKey", accessKey: vector.accessKey, apiSecret: vector.secret } as const;
  return { parameters: vector.params, nonce: vector.nonce, credential, options: { encoding, emptyValues } };
}

describe("The request signature", () => {
  it("is tested with all 12 vectors", () => assert.equal(vectors.length, 12));

  for (const vector of vectors) {
    it(`matches the test vector “${vector.name}”`, () => {
      assert.equal(messageToSign(request(vector, "hex")), vector.stringToSign);
      assert.equal(sign(request(vector, "hex")), vector.hex);
      assert.equal(sign(request(vector, "base64")), vector.base64);
    });
  }

  it("can omit empty values", () => {
    const vector = vectors.find(({ name }) => name === "empty-value");
    assert.ok(vector !== undefined);
    assert.equal(sign(request(vector, "hex", "omit")), vector.ambiguousHere["emptyValuesSkipped"]);
  });

  it("never covers its own parameters", () => {
    const vector = vectors[0];
    assert.ok(vector !== undefined);
    const own: Parameter[] = ["access_key", "nonce", "signature"].map((name) => [name, "x"]);
    const withOwn = { ...request(vector, "hex"), parameters: [...vector.params, ...own] };
    assert.equal(sign(withOwn), vector.hex);
  });

  it("covers only the nonce and the access key if there are no parameters", () => {
    const credential = { kind: "accessKey", accessKey: "AK", apiSecret: "s" } as const;
    const options = { encoding: "hex", emptyValues: "omit" } as const;
    assert.equal(
      messageToSign({ parameters: [], nonce: 1_700_000_000, credential, options }),
      "1700000000AK",
    );
  });
});

describe("The signed query", () => {
  it("decodes to exactly the signed values, whichever way the server decodes it", () => {
    const value = " a+b%20&=?#/!'()*~\u00e9e\u0301\u{1f600}\t";
    const query = createQuery([["näme &=", value]]);
    assert.match(query, /^[\w.~%=-]*$/);
    assert.deepEqual([...new URLSearchParams(query)], [["näme &=", value]]);
    assert.equal(decodeURIComponent(query.split("=")[1] ?? ""), value);
    assert.equal(new URL(`https://x/?${query}`).search, `?${query}`);
  });

  it("replaces unpaired surrogates before signing", () => {
    assert.equal(wellFormed("a\ud800b"), "a\ufffdb");
    assert.ok(createQuery([["a", wellFormed("\udc00")]]) === "a=%EF%BF%BD");
  });
});

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { findByRules } from "../../../src/processes/account/findAllSecrets.ts";

/** Assembled here so that scanners don't mistake this file for a leak. */
const awsSecret = ["wJalrXUtnFEMI", "K7MDENG", "bPxRfiCYzEXAMPLEKE"].join("/");
const githubToken = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;

describe("The secret rules", () => {
  it("report exactly the secret", async () => {
    const text = `AWS_SECRET_ACCESS_KEY = ${awsSecret}\nand ${githubToken}.`;
    assert.deepEqual(await findByRules(text), [
      { kind: "AWS secret access key", value: awsSecret },
      { kind: "GitHub token", value: githubToken },
    ]);
  });

  it("recognize multiline private keys, and passwords in URLs", async () => {
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      privateKeyEncoding: { type: "pkcs1", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    const found = await findByRules(`${privateKey}\nmongodb://root:hunter22@db.test/x`);
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ["Private key", "MongoDB connection"],
    );
    assert.ok(found[0]?.value.startsWith("-----BEGIN RSA"));
  });

  it("find nothing in ordinary text", async () => {
    assert.deepEqual(await findByRules(""), []);
    assert.deepEqual(
      await findByRules("How do I store an API key safely?\n```ts\nconst token = f();\n```"),
      [],
    );
  });
});

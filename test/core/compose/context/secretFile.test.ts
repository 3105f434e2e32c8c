import assert from "node:assert/strict";
import { isSecretFile } from "../../../../src/core/compose/context/excludeRules.ts";
import { isBinary } from "../../../../src/core/compose/context/pastedText.ts";

describe("A file that requires confirmation", () => {
  it("is one that usually contains keys or passwords", () => {
    for (const path of [
      ...[
        ".env",
        "a/.env.local",
        "prod.env",
        ".envrc",
        ".npmrc",
        "~/.ssh/id_ed25519",
        "server.PEM",
        "a/x.key",
      ],
      ...["credentials", "secrets.yaml", "terraform.tfstate", "service-account-prod.json", "C:\\x\\.env"],
    ]) {
      assert.ok(isSecretFile(path), path);
    }
  });

  it("is neither an example of such a file nor code about keys", () => {
    for (const path of [
      ".env.example",
      ".env.template",
      "src/secretVault.ts",
      "key.ts",
      "environment.md",
      "id_rsa.pub",
    ]) {
      assert.ok(!isSecretFile(path), path);
    }
  });
});

describe("A binary file", () => {
  it("contains a NUL and has no UTF-16 byte order mark", () => {
    assert.ok(isBinary(new Uint8Array([0x89, 0x50, 0, 1])));
    assert.ok(!isBinary(new TextEncoder().encode("größer")));
    assert.ok(!isBinary(new Uint8Array([0xff, 0xfe, 0x61, 0])));
    assert.ok(!isBinary(new Uint8Array()));
  });
});

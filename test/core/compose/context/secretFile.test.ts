import assert from "node:assert/strict";
import { isSecretFile, splitSecretFiles } from "../../../../src/core/compose/context/excludeRules.ts";
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

describe("The diff of a file that requires confirmation", () => {
  const part = (names: string, line: string): string => `diff --git ${names}\n@@ -1 +1 @@\n${line}\n`;

  it("is separated from those of other files, also after renaming and in quotes", () => {
    const code = part("a/src/app.ts b/src/app.ts", "+diff --git a/.env b/.env");
    const secret = [
      part("a/.env b/.env", "+KEY=1"),
      part("a/.env b/settings.txt", "-KEY=1"),
      part('"a/gr\\303\\274n/id_rsa" "b/gr\\303\\274n/id_rsa"', "+x"),
      part("deploy/prod.env deploy/prod.env", "+x"),
      "diff --cc config/secrets.yaml\nindex 1,2..3\n",
    ];
    const { others, secret: names } = splitSecretFiles([secret[0], code, ...secret.slice(1)].join(""));
    assert.equal(others, code);
    assert.deepEqual(names, [
      "a/.env b/.env",
      "a/.env b/settings.txt",
      '"a/gr\\303\\274n/id_rsa" "b/gr\\303\\274n/id_rsa"',
      "deploy/prod.env deploy/prod.env",
      "config/secrets.yaml",
    ]);
    assert.deepEqual(splitSecretFiles(code), { others: code, secret: [] });
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

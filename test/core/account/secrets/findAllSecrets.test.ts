import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findAllSecrets, findSecrets } from "../../../../src/core/account/secrets/scanSecrets.ts";
import { distinctFindings, maskFindings } from "../../../../src/core/compose/send/secretFinding.ts";
import { createPause } from "../../../../src/vscode/shell/pause.ts";
import { everydayCases } from "./everydayCases.ts";
import { FakeSecrets, isLeft } from "./fakeSecrets.ts";
import type { SecretCase } from "./fakeSecrets.ts";
import { heldOutCases } from "./heldOutCases.ts";
import { publicTexts } from "./publicTexts.ts";
import { secretCases } from "./secretCases.ts";
import { unseenCases } from "./unseenCases.ts";

const pause = createPause();

async function missed(cases: readonly SecretCase[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { what, text, secrets } of cases) {
    const masked = maskFindings(text, distinctFindings(await findAllSecrets(text, pause)));
    if (secrets.some((secret) => isLeft(masked, secret))) names.push(what);
  }
  return names;
}

describe("The secret scanner", () => {
  for (const [name, cases, required] of [
    ["the rules were written for", secretCases(), 0.95],
    ["the rules were not written for", heldOutCases(), 0.95],
    ["appear in settings, code, commands, messages and traces", unseenCases(), 0.95],
    ["the documentation of services shows", everydayCases(), 0.98],
  ] as const) {
    it(`masks at least ${required * 100}% of the secrets that ${name}`, async () => {
      const names = await missed(cases);
      assert.ok(
        names.length <= cases.length * (1 - required),
        `${names.length} of ${cases.length} missed: ${names.join(", ")}`,
      );
    }).timeout(240_000);
  }

  it("is tested with at least 300 cases", () => {
    assert.ok(secretCases().length + heldOutCases().length >= 300);
  });

  it("asks nothing about public keys, publishable keys, cookies of analytics, checksums and sizes of machines", async () => {
    const asked: string[] = [];
    for (const text of publicTexts()) if ((await findAllSecrets(text, pause)).length > 0) asked.push(text);
    assert.deepEqual(asked, []);
  });

  it("finds a secret beside what is public", async () => {
    const fake = new FakeSecrets(14);
    const secret = fake.random(40);
    const key = `${fake.base64(42)}E=`;
    for (const text of [
      `PublicKey = ${key}\nPrivateKey = ${secret}`,
      `public key: ${key}, secret key: ${secret}`,
      `-----BEGIN PUBLIC KEY-----\nAPI_KEY=${secret}\n`,
      `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----\nAPI_KEY=${secret}\n`,
      `pk_live_${fake.random(24)} and API_KEY=${secret}`,
      `Cookie: _ga=GA1.2.256235483.8617752847; session=${secret}`,
      `peer: ${key}\n  preshared key: ${secret}`,
    ])
      assert.deepEqual(
        (await findAllSecrets(text, pause)).map(({ value }) => value),
        [secret],
        text,
      );
  });

  it("keeps the text around a secret", async () => {
    const secret = new FakeSecrets(5).random(40);
    const text = `Why does this fail?\n\nconst apiKey = "${secret}";\nconst keyboard = "de";\n`;
    const masked = maskFindings(text, distinctFindings(await findAllSecrets(text, pause)));
    assert.match(
      masked,
      /^Why does this fail\?\n\nconst apiKey = "\[masked: [^\]]+\]";\nconst keyboard = "de";\n$/,
    );
  });

  it("doesn't flag harmless names and values", async () => {
    const fake = new FakeSecrets(3);
    const harmless = [
      'tokenizer = AutoTokenizer.from_pretrained("org/model-7b")',
      "max_tokens: 4096, token_count: 12, total_tokens=512",
      'keyboard = "qwertz"; monkey: 42; turkey = "bird1"',
      "passwordField: PasswordInput",
      'type: "password", placeholder: "Enter your password"',
      "api_key=YOUR_API_KEY",
      'apiKey: "${API_KEY}"',
      "token: process.env.GITHUB_TOKEN",
      "Authorization: Bearer <token>",
      "Authorization: Bearer ${token}",
      "password: ${{ secrets.DB_PASSWORD }}",
      "password = getpass.getpass()",
      `"integrity": "sha512-${fake.base64(86)}=="`,
      `"resolved": "https://registry.test/a.tgz#${fake.hex(40)}"`,
      `commit ${fake.hex(40)}`,
      `id: ${fake.uuid()}`,
      `sha256:${fake.hex(64)}`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${fake.base64(43)} me@box`,
      "postgres://user:password@localhost:5432/db",
      "https://user:pass@example.com/",
      "How do I store an API key safely?",
      "The password is required. The token is invalid. The key is missing.",
      "export type TokenType = 'bearer' | 'basic';",
      "function resetPassword(token: string): Promise<void> {",
      "grant_type=client_credentials&scope=read",
      "secretName: my-app-tls",
      "signature = sign(message, key)",
      "nextPageToken: undefined",
      `{ key: "${fake.hex(32)}", iv: "${fake.hex(32)}", pt: "${fake.hex(32)}", ct: "${fake.hex(32)}" }`,
      `const vectors = [{ key: '${fake.hex(64)}', msg: '${fake.hex(16)}', digest: '${fake.hex(64)}' }];`,
      'key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"',
      "secretKey: 0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
      "secretKey: TArg<Uint8Array>, password: Readonly<Uint8Array>",
      "`secretKey`: `Uint8Array`, password: 'pkcs#12'",
      "const password = 'salt1234'; const DERIVE_KEY_MATERIAL = 0b1000000;",
      "mnemonic: abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    ];
    for (const text of harmless) assert.deepEqual(await findAllSecrets(text, pause), [], text);
  });

  it("still flags the key of a cipher in a settings file, and keys that only look regular", async () => {
    const fake = new FakeSecrets(11);
    const key = fake.hex(64);
    for (const [text, secret] of [
      [`{ "encryptionKey": "${key}", "iv": "${fake.hex(32)}" }`, key],
      [`const key = "${key}";\nconst iv = "${fake.hex(32)}";`, key],
      ["DB_PASSWORD=abc123def456", "abc123def456"],
    ] as const)
      assert.deepEqual(
        distinctFindings(await findAllSecrets(text, pause)).map(({ value }) => value),
        [secret],
        text,
      );
  });

  it("flags fewer than 1 in 100 ordinary lines that mention secrets", async () => {
    const path = new URL("../../../fixtures/harmless-texts.json", import.meta.url);
    const texts: readonly string[] = JSON.parse(readFileSync(path, "utf8"));
    assert.ok(texts.length >= 300);
    const flagged: string[] = [];
    for (const text of texts) if ((await findAllSecrets(text, pause)).length > 0) flagged.push(text);
    assert.ok(flagged.length * 100 < texts.length, flagged.join("\n"));
  }).timeout(240_000);

  for (const text of ["password=a=b{0}", "DB_PASSWORD=x,{0};y", "export TOKEN=a=b={0}", 'API_KEY="a=b;{0}"'])
    it(`masks all of a value with punctuation: ${text}`, async () => {
      const secret = new FakeSecrets(77).random(16);
      const masked = maskFindings(
        text.replace("{0}", secret),
        distinctFindings(await findAllSecrets(text.replace("{0}", secret), pause)),
      );
      assert.ok(!isLeft(masked, secret), masked);
      assert.doesNotMatch(masked, /[=;,&]b|;y|q=/);
    });

  // Text that precedes and follows a value in a line of settings, in a list, or in quotes.
  for (const [before, after] of [
    [": ", ""],
    ["=", ""],
    [" = ", ""],
    ['="', '"'],
    [': "', '"'],
  ] as const)
    it(`masks all of a value with special characters after ${before}`, async () => {
      const secret = new FakeSecrets(78).random(14);
      const values = ["p&q=R", "ab;cd=R", "ab,cd=R", "a=b&c=R", "p?q=R", "p|q=R", "R&pq=x", "R;xy=z", "R,xy"];
      for (const name of ["secret", "DB_PASSWORD", "client-secret", "apiKey"])
        for (const value of values) {
          const text = `host: x\n${name}${before}${value.replace("R", secret)}${after}\nport: 1\n`;
          const masked = maskFindings(text, distinctFindings(await findAllSecrets(text, pause)));
          assert.equal(
            masked.replace(/\[masked: [^\]]*\]/, "#"),
            `host: x\n${name}${before}#${after}\nport: 1\n`,
            text,
          );
        }
    });

  it("flags at most 1 in 200 source files", () => {
    const files = [...sourceFiles("node_modules", 24), ...sourceFiles("src", 4)];
    assert.ok(files.length >= 700, `only ${files.length} files`);
    const flagged = files.filter((file) => findSecrets(readFileSync(file, "utf8")).length > 0);
    assert.ok(
      flagged.length * 200 <= files.length,
      `${flagged.length} of ${files.length}: ${flagged.join(", ")}`,
    );
  }).timeout(240_000);

  it("leaves time for other work while it scans a long text", async () => {
    const text = `${"const a = f(b); // nothing to see here\n".repeat(10_000)}password: ${new FakeSecrets(9).password()}`;
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const findings = await findAllSecrets(text, pause);
    clearInterval(timer);
    assert.equal(distinctFindings(findings).length, 1);
    assert.ok(turns > 3, `${turns} turns`);
  });
});

/** Every `step`-th source file below a folder that isn't larger than 300 kB. */
function sourceFiles(folder: string, step: number): readonly string[] {
  const files: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) walk(inner);
      else if (/\.(?:[cm]?[jt]sx?|py|sh|css|ya?ml|json)$/.test(entry.name)) files.push(inner);
    }
  };
  walk(folder);
  return files.filter((file, index) => index % step === 0 && statSync(file).size < 300_000);
}

import assert from "node:assert/strict";
import { maskRecord, mask, maskSecretText } from "../../../src/core/servers/secretMask.ts";

describe("maskSecrets", () => {
  const secretFields = [
    "token",
    "jupyter_token",
    "apiToken",
    "API-KEY",
    "password",
    "rootPassword",
    "root_pass_word_passwd",
    "adminPwd",
    "clientSecret",
    "private_key",
    "privateKeyPem",
    "secretAccessKey",
    "credentials",
    "user_data",
    "userData",
    "cloud-init",
    "console_url",
    "vnc_url",
    "noVncUrl",
    "vnc",
    "jupyter_url",
    "kubeconfig",
    "connectionString",
    "Authorization",
    "session_cookie",
    "onstart",
    "root_pass",
    "adminPass",
    "pass",
    "ipmi_user_pw",
    "pin",
  ];
  for (const name of secretFields) {
    it(`masks the value of ${name}`, () => {
      assert.deepEqual(maskRecord({ [name]: "hunter2" }), { [name]: mask });
    });
  }

  const harmlessFields = [
    "gpu_pass_through",
    "bypass",
    "passthrough",
    "key_name",
    "keypair",
    "ssh_key_ids",
    "ssh_key_names",
    "publicKey",
    "secureCloud",
    "security_groups",
    "monkey",
    "region",
    "console_enabled",
    "passive",
    "compass",
    "hasLocalDisk",
    "theSlot",
    "renderPassOrder",
  ];
  for (const name of harmlessFields) {
    it(`shows the value of ${name}`, () => {
      assert.deepEqual(maskRecord({ [name]: "hunter2" }), { [name]: "hunter2" });
    });
  }

  it("masks everything below a secret name and keeps the structure", () => {
    const record = { credentials: { user: "root", keys: ["a", { b: 1 }], rotated: true, note: null } };
    assert.deepEqual(maskRecord(record), {
      credentials: { user: mask, keys: [mask, { b: mask }], rotated: true, note: null },
    });
  });

  for (const field of [
    { environment: { DB: "hunter2" } },
    { runtimeEnv: ["DB=hunter2"] },
    { auth: "admin:hunter2" },
    { basic_auth: "admin:hunter2" },
    { session: "hunter2" },
    { ticket: "hunter2-x" },
    { contraseña: "hunter2" },
    { root_senha: "hunter2" },
    { 密码: "hunter2" },
    { パスワード: "hunter2" },
    { пароль: "hunter2" },
    { vars: [{ attribute: "admin_password", current_value: "hunter2" }] },
    { vars: [{ setting_name: "api_token", setting_value: "hunter2" }] },
  ]) {
    it(`masks what a record calls a credential: ${JSON.stringify(field)}`, () =>
      assert.doesNotMatch(JSON.stringify(maskRecord(field)), /hunter2/));
  }

  for (const field of [
    { vmSize: "Standard_NC40ads_H100_v5" },
    { note: "Standard_ND96isr_H100_v5" },
    { password_auth: "disabled" },
    { passwordAuthentication: "no" },
    { auth: "none" },
    { session: "active" },
    { environment: "production" },
    { environment: { id: 30, name: "default-EU-1" } },
  ]) {
    it(`shows what a customer looks for: ${JSON.stringify(field)}`, () =>
      assert.deepEqual(maskRecord(field), field));
  }

  it("masks the values of environment variables, not their names", () => {
    assert.deepEqual(maskRecord({ env: { HF_HOME: "/data" } }), { env: { HF_HOME: mask } });
  });

  it("masks the value next to a name that marks it as secret", () => {
    assert.deepEqual(maskRecord([{ key: "db_password", value: "hunter2" }]), [
      { key: "db_password", value: mask },
    ]);
  });

  it("masks the value after an option, and not what follows it", () => {
    for (const secret of [
      "sk-proj-Zx81kQpL0vT3mNa7RbW5",
      "s3cr3tpass",
      "hunter22-secret-key",
      "token-abc123",
    ]) {
      const args = ["serve", "--api-key", secret, "--port", "8000", "--token", secret, "-c", "4096"];
      assert.deepEqual(maskRecord({ args }), {
        args: args.map((argument) => (argument === secret ? mask : argument)),
      });
    }
  });

  it("doesn't mask what follows the name of a program in a command", () => {
    for (const command of [
      ["jupyter", "lab", "--ip=0.0.0.0"],
      ["python", "-m", "jupyter", "notebook"],
    ])
      assert.deepEqual(maskRecord({ command }), { command });
  });

  it("doesn't modify its input", () => {
    const record = { token: "abc", list: [1] };
    maskRecord(record);
    assert.deepEqual(record, { token: "abc", list: [1] });
  });

  it("copies a field called __proto__ as an ordinary field", () => {
    const masked = maskRecord(JSON.parse('{"__proto__":{"token":"abc"}}'));
    assert.equal(JSON.stringify(masked), `{"__proto__":{"token":"${mask}"}}`);
  });

  it("handles a deeply nested record", () => {
    const record: unknown = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`);
    assert.match(JSON.stringify(maskRecord(record)), new RegExp(mask));
  });
});

describe("maskSecretText", () => {
  const cases: readonly (readonly [what: string, text: string, secret: string])[] = [
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"],
    ["a cut private key", "x -----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "b3Blbn"],
    ["a JSON web token", "see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig here", "eyJ"],
    ["an API key", "key sk-abcdef1234567890 end", "abcdef1234567890"],
    ["an access key id", "AKIAIOSFODNN7EXAMPLE", "IOSFODNN"],
    ["credentials of a URL", "https://root:hunter2@host/x", "hunter2"],
    ["a token in a query", "https://host/lab?token=abc123&x=1", "abc123"],
    ["a signature in a query", "https://host/a?X-Amz-Signature=deadbeef", "deadbeef"],
    ["a bearer header", "Authorization: Bearer abcdefgh12345", "abcdefgh12345"],
    ["an assignment", "export HF_TOKEN=abc_def", "abc_def"],
    ["an option", "run --password hunter2 --fast", "hunter2"],
  ];
  for (const [what, text, secret] of cases) {
    it(`masks ${what} inside a text`, () => {
      assert.ok(!maskSecretText(text).includes(secret), maskSecretText(text));
    });
  }

  for (const text of [
    "gpu-node-01",
    "https://host/path?page=2",
    "hf-worker-rack-12-eu-west",
    "8x H100",
    "root@host",
  ]) {
    it(`leaves “${text}” unchanged`, () => assert.equal(maskSecretText(text), text));
  }

  it("handles a long hostile text quickly", () => {
    const text = `${"a".repeat(50_000)}://${"token".repeat(10_000)}${"=".repeat(1_000)}`;
    assert.ok(maskSecretText(text).length > 0);
  });

  it("masks JSON in a text that is nested too deeply to be read", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const)
      assert.deepEqual(maskRecord({ note: `${open.repeat(5000)}1${close.repeat(5000)}` }), { note: mask });
  });
});

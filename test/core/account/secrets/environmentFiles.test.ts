import assert from "node:assert/strict";
import { findSecrets } from "../../../../src/core/account/secrets/scanSecrets.ts";

const values = (text: string): readonly string[] =>
  findSecrets(text).map(({ start, end }) => text.slice(start, end));

describe("Secrets in the contents of .env files", () => {
  it("are values whose name marks them as secret", () => {
    const text = `
# database
DB_HOST=db.internal
DB_PASSWORD=hunter2-more
export API_KEY="abc123def456"   # mine
SESSION_SECRET='with spaces? no'
auth_token: tok-123456
PORT=8080`;
    assert.deepEqual(values(text), ["hunter2-more", "abc123def456", "tok-123456"]);
  });

  it("are found in other configuration files too", () => {
    assert.deepEqual(values('{\n  "client_secret": "s3cr3t-value",\n  "name": "x"\n}'), ["s3cr3t-value"]);
  });

  it("are random-looking values if the name doesn't mark them as secret", () => {
    assert.deepEqual(values("STRIPE_LIVE=8f3b2a9d7c6e5f40b1a2c3d4e5f60718"), []);
    assert.deepEqual(values("STRIPE_LIVE=q7Rt2Zx9Lm4Kd8Wv1Bn6Ys3Hp5"), ["q7Rt2Zx9Lm4Kd8Wv1Bn6Ys3Hp5"]);
    assert.deepEqual(values("GREETING=hello-there-how-are-you-doing-today"), []);
  });

  it("don't include code that mentions secrets, or placeholders", () => {
    const innocent = [
      "const password = request.form.password",
      "password = getpass()",
      "token = tokens.next",
      "api_key = os.environ['API_KEY']",
      "password: string;",
      "API_KEY=your-api-key",
      "API_KEY=<your key>",
      "API_KEY=${API_KEY}",
      "API_KEY=changeme",
      "MAX_TOKENS=100000",
      "The password: it is secret",
      "token=[masked: token]",
      '"admin_password": "••••••"',
      '"authorization": "Bearer ••••••"',
      "HF_TOKEN=••••••",
    ];
    for (const line of innocent) assert.deepEqual(values(line), [], line);
  });

  it("are found in linear time", () => {
    const long = [
      "A=".repeat(200_000),
      " ".repeat(400_000),
      "token=" + "a ".repeat(200_000),
      "export ".repeat(60_000),
    ];
    for (const text of long) assert.deepEqual(values(text), []);
  });
});

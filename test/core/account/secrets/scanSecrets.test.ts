import assert from "node:assert/strict";
import {
  findSecrets,
  replaceSecrets,
  scanSecrets,
} from "../../../../src/core/account/secrets/scanSecrets.ts";
import { FakeSecrets } from "./fakeSecrets.ts";

const fake = new FakeSecrets(31);

describe("scanSecrets", () => {
  it("finds a secret wherever it is in a long text", () => {
    const key = `ghp_${fake.random(36)}`;
    const filler = "const value = compute(other); // words\n";
    for (const before of [0, 7_990, 8_000, 15_970, 40_000]) {
      const text = `${filler.repeat(2_000).slice(0, before)} ${key} ${filler.repeat(500)}`;
      assert.deepEqual(
        findSecrets(text).map(({ start, end }) => text.slice(start, end)),
        [key],
        String(before),
      );
    }
  });

  it("doesn't take what follows a masked password for one, in any language", () => {
    for (const name of [
      "Password",
      "密码",
      "пароль",
      "パスワード",
      "비밀번호",
      "contraseña",
      "Passwort",
      "mot de passe",
    ])
      for (const colon of [": ", "：", " is ", " = "]) {
        const text = `${name}${colon}•••••• WECHAT_APP_SECRET=•••••• Wolke-7-Nord`;
        assert.deepEqual(findSecrets(text), [], text);
      }
  });

  it("finds a private key that is longer than one scanned chunk", () => {
    const pem = fake.pem("RSA", 200);
    const text = `${"x\n".repeat(3_900)}${pem}\nafter`;
    assert.equal(replaceSecrets(text, "#", "careful"), `${"x\n".repeat(3_900)}#\nafter`);
  });

  for (const [what, spread] of [
    [
      "little-endian UTF-16 that was read as something else",
      (text: string) => text.replaceAll(/./gs, "$&\0"),
    ],
    ["big-endian UTF-16 that was read as something else", (text: string) => text.replaceAll(/./gs, "\0$&")],
    ["UTF-32 that was read as something else", (text: string) => text.replaceAll(/./gs, "$&\0\0\0")],
    ["a binary file", (text: string) => `\u007fELF\0\0\0${text}\0\0`],
  ] as const) {
    it(`finds secrets in ${what}`, () => {
      for (const secret of [`ghp_${fake.random(36)}`, fake.pem("RSA", 20)]) {
        const text = spread(`host=a\ntoken=${secret}\nuser=b\n`);
        const masked = replaceSecrets(text, "#", "careful").replaceAll("\0", "");
        assert.match(masked, /host=a\ntoken=#\nuser=b/);
      }
    });
  }

  it("can be aborted between two chunks of a few kilobytes", () => {
    const scan = scanSecrets("a = b;\n".repeat(10_000));
    let pieces = 1;
    while (scan.next().done !== true) pieces++;
    assert.ok(pieces >= 8, `${pieces} pieces`);
  });

  it("in strict mode, masks any value after a secret name and nothing else", () => {
    assert.equal(replaceSecrets("x --password ab --fast", "#", "strict"), "x --password # --fast");
    assert.equal(
      replaceSecrets("--max-tokens 100 --tokenizer bpe", "#", "strict"),
      "--max-tokens 100 --tokenizer bpe",
    );
  });

  // The cost per piece doesn't depend on the number of pieces. A piece that costs more than this would be noticeable.
  it("scans hostile text in linear time", () => {
    const pieces = [
      "a",
      "A1",
      "://",
      "https://:",
      "https://:::…#\nx",
      "a:b@",
      "=",
      "eyJ-",
      "eyJaaaaaaaa.",
      "sk-",
      '\\"',
    ];
    const names = [
      "token=",
      "password ",
      "password is ",
      "key: ",
      "the key ",
      'secret", ',
      "%3Dtoken%3D",
      "cookie=",
      "?token=a&",
    ];
    const blocks = [
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\n",
      "MIIEowIBAAKCAQEA",
    ];
    const commands = [
      "curl -u a:",
      "mysql -p",
      "login a password ",
      "connect(",
      "Basic YTpi ",
      "data:\n  a: b\n",
      "パスワードは",
    ];
    for (const piece of [...pieces, ...names, ...blocks, ...commands]) {
      const time = (length: number): number => {
        const text = piece.repeat(Math.ceil(length / piece.length));
        const since = process.cpuUsage().user;
        findSecrets(text);
        findSecrets(text, "strict");
        return process.cpuUsage().user - since;
      };
      time(5_000);
      const [once, often] = [time(5_000), time(40_000)];
      // Eight times the text: quadratic time would be 64 times as much.
      assert.ok(often < 32 * Math.max(once, 5_000), `${piece}: ${once} and ${often} µs`);
    }
  }).timeout(120_000);
});

import { collectCases, FakeSecrets } from "./fakeSecrets.ts";
import type { SecretCase } from "./fakeSecrets.ts";

/** Realistic secrets in the kinds of files and sentences that people paste into a chat. */
export function secretCases(): readonly SecretCase[] {
  return [...vendorKeys(), ...assignments(), ...commands(), ...files(), ...privateKeys(), ...sentences()];
}

function vendorKeys(): readonly SecretCase[] {
  const fake = new FakeSecrets(7);
  const { cases, add } = collectCases();
  const keys: readonly (readonly [string, string])[] = [
    ["GitHub", `ghp_${fake.random(36)}`],
    ["GitHub fine-grained", `github_pat_${fake.random(22)}_${fake.random(59)}`],
    ["GitHub app", `ghs_${fake.random(36)}`],
    ["GitLab", `glpat-${fake.random(20)}`],
    ["Bitbucket", `ATBB${fake.random(32)}`],
    ["npm", `npm_${fake.random(36)}`],
    ["PyPI", `pypi-AgEIcHlwaS5vcmc${fake.random(120)}`],
    ["OpenAI", `sk-${fake.random(48)}`],
    ["OpenAI project", `sk-proj-${fake.random(60)}`],
    ["Anthropic", `sk-ant-api03-${fake.random(90)}-${fake.random(4)}AA`],
    ["Hugging Face", `hf_${fake.random(34)}`],
    ["Groq", `gsk_${fake.random(52)}`],
    ["Replicate", `r8_${fake.random(37)}`],
    ["OpenRouter", `sk-or-v1-${fake.hex(64)}`],
    ["xAI", `xai-${fake.random(80)}`],
    ["NVIDIA", `nvapi-${fake.random(64)}`],
    ["Perplexity", `pplx-${fake.random(48)}`],
    ["RunPod", `rpa_${fake.upper(40)}`],
    ["AWS access key id", `AKIA${fake.random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`],
    ["AWS session key id", `ASIA${fake.random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`],
    ["Google", `AIza${fake.random(35)}`],
    ["Google OAuth", `GOCSPX-${fake.random(28)}`],
    ["Google access token", `ya29.${fake.random(100)}`],
    ["Alibaba", `LTAI5t${fake.random(18)}`],
    ["DigitalOcean", `dop_v1_${fake.hex(64)}`],
    ["Stripe", `sk_live_${fake.random(24)}`],
    ["Stripe restricted", `rk_live_${fake.random(24)}`],
    ["Stripe webhook", `whsec_${fake.random(32)}`],
    ["Square", `sq0atp-${fake.random(22)}`],
    ["PayPal Braintree", `access_token$production$${fake.hex(16)}$${fake.hex(32)}`],
    ["Twilio", `SK${fake.hex(32)}`],
    ["SendGrid", `SG.${fake.random(22)}.${fake.random(43)}`],
    ["Mailgun", `key-${fake.hex(32)}`],
    ["Mailchimp", `${fake.hex(32)}-us14`],
    [
      "Slack bot",
      `xoxb-${fake.random(11, "0123456789")}-${fake.random(12, "0123456789")}-${fake.random(24)}`,
    ],
    ["Slack app", `xapp-1-A0${fake.upper(9)}-${fake.random(13, "0123456789")}-${fake.hex(64)}`],
    [
      "Slack webhook",
      `https://hooks.slack.com/services/T${fake.upper(8)}/B${fake.upper(8)}/${fake.random(24)}`,
    ],
    [
      "Discord webhook",
      `https://discord.com/api/webhooks/${fake.random(18, "123456789")}/${fake.random(68)}`,
    ],
    ["Discord bot", `M${fake.random(23)}.${fake.random(6)}.${fake.random(38)}`],
    ["Telegram", `${fake.random(10, "123456789")}:AA${fake.random(33)}`],
    ["Vault", `hvs.${fake.random(90)}`],
    ["Databricks", `dapi${fake.hex(32)}`],
    ["Grafana", `glsa_${fake.random(32)}_${fake.hex(8)}`],
    ["Linear", `lin_api_${fake.random(40)}`],
    ["Notion", `ntn_${fake.random(46)}`],
    ["Shopify", `shpat_${fake.hex(32)}`],
    ["Doppler", `dp.st.dev.${fake.random(43)}`],
    ["Figma", `figd_${fake.random(40)}`],
    ["Azure client secret", `${fake.random(3)}8Q~${fake.random(34)}`],
    ["age", `AGE-SECRET-KEY-1${fake.random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`],
    ["JWT", fake.jwt()],
  ];
  const carriers: readonly ((key: string) => string)[] = [
    (key) => `Why does ${key} give me 401?`,
    (key) => `client = Client("${key}")`,
    (key) => `{"a": 1, "b": ["${key}"]}`,
  ];
  for (const [index, [what, key]] of keys.entries()) {
    const carrier = carriers[index % carriers.length];
    if (carrier !== undefined) add(`${what} key`, key, carrier(key));
  }
  return cases;
}

function assignments(): readonly SecretCase[] {
  const fake = new FakeSecrets(11);
  const { cases, add } = collectCases();
  const forms: readonly (readonly [string, (value: string) => string])[] = [
    ["TypeScript", (value) => `const apiKey = "${value}";`],
    ["TypeScript with a type", (value) => `export const apiKey: string = '${value}'`],
    ["a wrapped line", (value) => `const accessToken =\n  "${value}";`],
    ["Python", (value) => `API_KEY = "${value}"`],
    ["Python with a type", (value) => `api_key: str = "${value}"`],
    ["Python dict", (value) => `{'api_key': '${value}', 'x': 1}`],
    ["Python environ", (value) => `os.environ["SERVICE_TOKEN"] = "${value}"`],
    ["Python keyword", (value) => `client = Mistral(api_key="${value}", timeout=3)`],
    ["Java", (value) => `private static final String API_KEY = "${value}";`],
    ["C#", (value) => `var clientSecret = @"${value}";`],
    ["Go", (value) => `apiToken := "${value}"`],
    ["Go with a type", (value) => `var apiToken string = "${value}"`],
    ["Rust", (value) => `const API_TOKEN: &str = "${value}";`],
    ["C", (value) => `#define API_SECRET "${value}"`],
    ["C array", (value) => `static const char secret_key[] = "${value}";`],
    ["PHP", (value) => `define('API_SECRET', '${value}');`],
    ["PHP array", (value) => `'secret_key' => '${value}',`],
    ["Ruby", (value) => `config.secret_token = '${value}'`],
    ["Ruby hash", (value) => `{ :api_key => "${value}" }`],
    ["Swift", (value) => `let apiKey = "${value}"`],
    ["Kotlin", (value) => `val clientSecret: String = "${value}"`],
    ["Perl", (value) => `my $api_token = '${value}';`],
    ["R", (value) => `Sys.setenv(COHERE_API_KEY = "${value}")`],
    ["PowerShell", (value) => `$env:API_TOKEN = "${value}"`],
    ["JSON", (value) => `{\n  "apiKey": "${value}"\n}`],
    ["JSON in a string", (value) => JSON.stringify(JSON.stringify({ api_key: value }))],
    ["YAML", (value) => `service:\n  api_key: ${value}\n  port: 80`],
    ["TOML", (value) => `[service]\nsecret_key = "${value}"`],
    ["ini", (value) => `[default]\naccess_token=${value}\nregion=x`],
    ["properties", (value) => `service.client-secret=${value}`],
    ["XML", (value) => `<config><apiKey>${value}</apiKey></config>`],
    ["XML attributes", (value) => `<add key="ApiKey" value="${value}" />`],
    [".env", (value) => `MISTRAL_API_KEY=${value}\nPORT=80`],
    ["Dockerfile", (value) => `FROM node\nENV API_TOKEN ${value}\nRUN x`],
    ["Compose", (value) => `    environment:\n      - API_TOKEN=${value}`],
    ["Kubernetes env", (value) => `env:\n  - name: API_TOKEN\n    value: ${value}`],
    ["Terraform", (value) => `provider "x" {\n  api_token = "${value}"\n}`],
    ["Terraform variable", (value) => `variable "api_token" {\n  type = string\n  default = "${value}"\n}`],
    ["a setter", (value) => `client.setApiKey("${value}")`],
    ["a header in code", (value) => `headers: { "X-API-Key": "${value}" }`],
    ["a header by a call", (value) => `.header("X-Auth-Token", "${value}")`],
    ["Authorization in code", (value) => `headers = {"Authorization": "Bearer ${value}"}`],
    ["Authorization", (value) => `GET / HTTP/1.1\nAuthorization: Bearer ${value}\nHost: x`],
    ["a cookie", (value) => `Cookie: theme=dark; session=${value}`],
    ["our own pair", (value) => `ak: MYACCESSKEY01\nsk: ${value}`],
    ["our own STS token", (value) => `STS-Token: ${value}`],
    ["our own user token", (value) => `Cookie: User-Token-V1=${value}`],
    ["a plist", (value) => `<key>apiToken</key>\n<string>${value}</string>`],
  ];
  const values = [
    (): string => fake.random(40),
    () => fake.hex(32),
    () => fake.base64(44),
    () => `${fake.random(24)}-${fake.random(8)}`,
  ];
  for (const [index, [what, form]] of forms.entries()) {
    const value = values[index % values.length]?.() ?? "";
    add(`a key in ${what}`, value, form(value));
  }
  const passwordForms = [
    "TypeScript",
    "Python dict",
    "JSON",
    "YAML",
    ".env",
    "XML",
    "properties",
    "Terraform",
    "Compose",
    "PowerShell",
  ];
  for (const [what, form] of forms.filter(([name]) => passwordForms.includes(name))) {
    const value = fake.password();
    add(
      `a password in ${what}`,
      value,
      form(value).replace(/api_?key|API_TOKEN|MISTRAL_API_KEY|api_token|client-secret/gi, (name) =>
        name === name.toUpperCase() ? "DB_PASSWORD" : "dbPassword",
      ),
    );
  }
  return cases;
}

function commands(): readonly SecretCase[] {
  const fake = new FakeSecrets(13);
  const { cases, add } = collectCases();
  const key = (): string => fake.random(32);
  const password = (): string => fake.password();
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["curl with a header", key(), (value) => `curl -H 'X-API-Key: ${value}' https://api.test/v1`],
    ["curl with a bearer", key(), (value) => `curl -H "Authorization: Bearer ${value}" https://api.test/v1`],
    ["curl with a user", password(), (value) => `curl -u admin:${value} https://api.test/`],
    ["curl with a query", key(), (value) => `curl "https://api.test/v1?api_key=${value}&x=1"`],
    ["an option", key(), (value) => `tool login --token ${value} --verbose`],
    ["an option with =", key(), (value) => `tool --api-key=${value}`],
    ["a prompt", key(), (value) => `$ export TOKEN=${value}`],
    ["a prompt of root", key(), (value) => `# export DEPLOY_TOKEN="${value}"`],
    ["a prompt with a host", key(), (value) => `me@box:~$ export GH_TOKEN=${value}`],
    ["PowerShell's prompt", key(), (value) => `PS> $env:TOKEN = "${value}"`],
    ["cmd", key(), (value) => `C:\\> set API_TOKEN=${value}`],
    ["setx", key(), (value) => `setx API_TOKEN ${value}`],
    ["a variable before a command", password(), (value) => `PGPASSWORD=${value} psql -h db`],
    ["sshpass", password(), (value) => `sshpass -p ${value} ssh root@10.0.0.1`],
    ["mysql", password(), (value) => `mysql -h db -u root -p${value} shop`],
    ["redis-cli", password(), (value) => `redis-cli -h cache -a ${value} ping`],
    ["docker login", password(), (value) => `docker login -u me -p ${value} registry.test`],
    ["docker login by a pipe", key(), (value) => `echo ${value} | docker login -u me --password-stdin`],
    ["git clone", key(), (value) => `git clone https://oauth2:${value}@git.test/a/b.git`],
    ["openssl", password(), (value) => `openssl enc -pass pass:${value} -in a`],
    ["SQL", password(), (value) => `CREATE USER app IDENTIFIED BY '${value}';`],
    ["PostgreSQL", password(), (value) => `ALTER ROLE app WITH PASSWORD '${value}';`],
    ["wget", password(), (value) => `wget --user=me --password=${value} https://x.test`],
    ["aws configure", fake.base64(40), (value) => `aws configure set aws_secret_access_key ${value}`],
    ["helm", password(), (value) => `helm install x --set auth.password=${value}`],
    ["kubectl", password(), (value) => `kubectl create secret generic x --from-literal=password=${value}`],
    ["chpasswd", password(), (value) => `echo "root:${value}" | chpasswd`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

function files(): readonly SecretCase[] {
  const fake = new FakeSecrets(17);
  const { cases, add } = collectCases();
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["netrc", fake.password(), (value) => `machine git.test login me password ${value}`],
    ["netrc over lines", fake.password(), (value) => `machine git.test\n  login me\n  password ${value}`],
    [".npmrc", fake.uuid(), (value) => `//registry.test/:_authToken=${value}`],
    [".npmrc in base64", encode(`me:${fake.password()}`), (value) => `_auth=${value}`],
    [".pypirc", fake.password(), (value) => `[pypi]\nusername = me\npassword = ${value}`],
    [".pgpass", fake.password(), (value) => `db.test:5432:shop:app:${value}`],
    [
      "PostgreSQL's URL",
      fake.password(),
      (value) => `DATABASE_URL=postgres://app:${value}@db.test:5432/shop`,
    ],
    [
      "MongoDB's URL",
      fake.random(20),
      (value) => `mongodb+srv://app:${value}@cluster0.test/db?retryWrites=true`,
    ],
    ["Redis' URL without a user", fake.random(20), (value) => `redis://:${value}@cache.test:6379/0`],
    ["AMQP's URL", fake.random(16), (value) => `url: amqp://svc:${value}@mq.test/`],
    [
      "a connection string",
      fake.password(),
      (value) => `"Server=db;Database=x;User Id=sa;Password=${value};"`,
    ],
    [
      "Azure storage",
      `${fake.base64(86)}==`,
      (value) =>
        `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${value};EndpointSuffix=core.windows.net`,
    ],
    [
      "Azure SAS",
      `${fake.base64(43)}=`.replaceAll("+", "a").replaceAll("/", "b"),
      (value) => `https://x.blob.core.windows.net/c?sv=2023-01-03&sp=r&sig=${encodeURIComponent(value)}`,
    ],
    [
      "AWS credentials",
      fake.base64(40),
      (value) => `[default]\naws_access_key_id = x\naws_secret_access_key = ${value}`,
    ],
    [
      "S3 presigned",
      fake.hex(64),
      (value) => `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${value}`,
    ],
    [
      "docker config",
      encode(`me:${fake.password()}`),
      (value) => `{"auths": {"registry.test": {"auth": "${value}"}}}`,
    ],
    [
      "Kubernetes secret",
      encode(fake.password()),
      (value) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  login: ${value}\n`,
    ],
    ["Kubernetes string data", fake.password(), (value) => `kind: Secret\nstringData:\n  login: ${value}\n`],
    ["kubeconfig", fake.base64(120), (value) => `users:\n- name: x\n  user:\n    client-key-data: ${value}`],
    ["htpasswd", `$apr1$${fake.random(8)}$${fake.random(22)}`, (value) => `me:${value}`],
    ["shadow", `$6$${fake.random(16)}$${fake.random(86)}`, (value) => `root:${value}:19000:0:99999:7:::`],
    [
      "Maven settings",
      fake.password(),
      (value) => `<server><id>x</id><password>${value}</password></server>`,
    ],
    ["wpa_supplicant", fake.password(), (value) => `network={\n ssid="home"\n psk="${value}"\n}`],
    ["WireGuard", `${fake.base64(43)}=`, (value) => `[Interface]\nPrivateKey = ${value}`],
    ["redis.conf", fake.random(20), (value) => `bind 0.0.0.0\nrequirepass ${value}`],
    [
      "appsettings",
      fake.password(),
      (value) => `{"ConnectionStrings": {"Default": "Host=db;Username=x;Password=${value}"}}`,
    ],
    ["Sentry DSN", fake.hex(32), (value) => `SENTRY_DSN=https://${value}@o1.ingest.sentry.io/4501`],
    [
      "GCP service account",
      fake.pem("", 20).replaceAll("\n", "\\n"),
      (value) => `{"type": "service_account", "private_key": "${value}\\n"}`,
    ],
    [
      "base64 of a script",
      encode(`#!/bin/sh\nexport API_TOKEN=${fake.random(32)}\n`),
      (value) => `payload: ${value}`,
    ],
    ["Basic authentication", encode(`me:${fake.password()}`), (value) => `Authorization: Basic ${value}`],
    [".git-credentials", fake.random(20), (value) => `https://me:${value}@git.test`],
    ["Postman", fake.random(30), (value) => `{"key": "api_token", "value": "${value}", "type": "any"}`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

function privateKeys(): readonly SecretCase[] {
  const fake = new FakeSecrets(19);
  const { cases, add } = collectCases();
  for (const label of ["RSA", "", "EC", "OPENSSH", "ENCRYPTED", "DSA"]) {
    const pem = fake.pem(label);
    const lines = pem.split("\n");
    const body = lines.slice(1, -1);
    add(`a whole ${label} key`, body, `Here:\n${pem}\nthanks`);
    add(`an ${label} key without its last line`, body, `Here:\n${lines.slice(0, -1).join("\n")}\n\nthanks`);
    add(`an ${label} key without its first line`, body, `Here:\n\n${lines.slice(1).join("\n")}\nthanks`);
  }
  for (const label of ["RSA", "", "OPENSSH"]) {
    const body = fake.pem(label).split("\n").slice(1, -1);
    add(`the body of an ${label} key`, body, `${body.join("\n")}\n`);
  }
  const pgp = [fake.base64(64), fake.base64(64), `=${fake.base64(4)}`];
  const block = ["BEGIN", "END"].map((word) => `-----${word} PGP PRIVATE KEY BLOCK-----`);
  add("a PGP key", pgp.slice(0, 2), [block[0], "Version: 1", "", ...pgp, block[1]].join("\n"));
  add("a PGP key without its last line", pgp.slice(0, 2), [block[0], "", ...pgp].join("\n"));
  const putty = [fake.base64(64), fake.base64(64)];
  add(
    "a PuTTY key",
    putty,
    `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n${putty.join("\n")}\nPrivate-MAC: ${fake.hex(64)}`,
  );
  const inline = fake.pem("RSA").replaceAll("\n", "\\n");
  add("a key in a string", inline.slice(40, 200), `key = "${inline}"`);
  return cases;
}

function sentences(): readonly SecretCase[] {
  const fake = new FakeSecrets(23);
  const { cases, add } = collectCases();
  const key = (): string => fake.random(32);
  const password = (): string => fake.password();
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["the password is", password(), (value) => `The password is ${value}, can you log in?`],
    [
      "the password for … is",
      password(),
      (value) => `By the way, the password for the staging box is ${value}.`,
    ],
    ["password with a colon", password(), (value) => `password: ${value}`],
    ["my key", key(), (value) => `my key: ${value}`],
    ["my API key is", key(), (value) => `My API key is ${value} and it fails`],
    ["here's the token", key(), (value) => `Here's the token - ${value}`],
    ["use … as the token", key(), (value) => `Please use ${value} as the token.`],
    ["… is my password", password(), (value) => `${value} is my password`],
    ["in backticks", password(), (value) => `the password is \`${value}\``],
    ["in quotes", password(), (value) => `its password is “${value}”.`],
    ["user and password", password(), (value) => `log in with admin / ${value}`],
    ["credentials", password(), (value) => `credentials: admin:${value}`],
    ["user, password", password(), (value) => `user root, password ${value}`],
    ["a hex key", fake.hex(32), (value) => `our Mistral key is ${value}`],
    ["access key and secret", key(), (value) => `AK MYKEY, SK ${value}`],
    ["the secret key", key(), (value) => `The secret key was ${value} before.`],
    ["German", password(), (value) => `Das Passwort lautet ${value}.`],
    ["German with a colon", password(), (value) => `Kennwort: ${value}`],
    ["Japanese", password(), (value) => `パスワードは${value}です`],
    ["Japanese with a colon", key(), (value) => `APIキー：${value}`],
    ["Chinese", password(), (value) => `密码是${value}，请登录`],
    ["Chinese with a colon", key(), (value) => `密钥：${value}`],
    ["French", password(), (value) => `le mot de passe est ${value}`],
    ["Spanish", password(), (value) => `la contraseña es ${value}`],
    ["a table", password(), (value) => `| user | password |\n|---|---|\n| root | password: ${value} |`],
    ["a token in a URL", key(), (value) => `open https://box.test:8888/lab?token=${value} please`],
    ["a bearer in a sentence", key(), (value) => `I send Bearer ${value} and get 401`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

import { FakeSecrets } from "../account/secrets/fakeSecrets.ts";

/** A record's field that contains secrets in an unusual place. */
export interface UnusualPlace {
  readonly what: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

type Form = readonly [what: string, form: (secret: string) => Readonly<Record<string, unknown>>];

const encode = (text: string): string => Buffer.from(text).toString("base64");

/** Places whose name indicates that the value is secret, whatever the value is. */
const named: readonly Form[] = [
  ["console URL with a token", (s) => ({ console_url: `https://c.test/vnc.html?token=${s}&path=x` })],
  ["another URL with a token", (s) => ({ details: `https://c.test/x?token=${s}` })],
  ["encoded inner query", (s) => ({ view: `https://c.test/vnc.html?path=websockify%3Ftoken%3D${s}` })],
  ["query of a relative URL", (s) => ({ link: `/console?access_token=${s}` })],
  ["websocket URL", (s) => ({ ws: `wss://c.test/ws?auth_token=${s}` })],
  ["fragment", (s) => ({ open: `https://c.test/app#access_token=${s}` })],
  ["fragment route", (s) => ({ open: `https://c.test/#/login?token=${s}` })],
  ["userinfo", (s) => ({ origin: `https://root:${s}@c.test/` })],
  ["userinfo of another scheme", (s) => ({ store: `s3://AKX:${s}@bucket/path` })],
  ["userinfo without a user", (s) => ({ cache: `redis://:${s}@c.test:6379/0` })],
  ["matrix parameter", (s) => ({ link: `https://c.test/a;token=${s};x=1` })],
  ["session id in a path", (s) => ({ link: `https://c.test/a;jsessionid=1;token=${s}` })],
  ["cloud-init under another name", (s) => ({ bootstrap: encode(`#cloud-config\npassword: ${s}\n`) })],
  ["a script in base64", (s) => ({ payload: encode(`#!/bin/bash\nexport HF_TOKEN=${s}\nrun\n`) })],
  ["base64 in base64", (s) => ({ blob: encode(encode(`DB_PASSWORD=${s}\nPORT=80\n`)) })],
  [
    "base64 within a text",
    (s) => ({ note: `run: echo ${encode(`export API_KEY=${s}; serve`)} | base64 -d | sh` }),
  ],
  ["JSON in base64", (s) => ({ config: encode(JSON.stringify({ auth: { password: s } })) })],
  ["a data URL", (s) => ({ init: `data:text/plain;base64,${encode(`root_password=${s}\n`)}` })],
  [
    "AccountKey",
    (s) => ({
      storage: `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${s};EndpointSuffix=core.windows.net`,
    }),
  ],
  ["SharedAccessKey", (s) => ({ hub: `Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=${s}` })],
  ["Password in a connection string", (s) => ({ db: `Server=d;Uid=sa;Pwd=${s};Encrypt=yes` })],
  ["a list of arguments", (s) => ({ args: ["serve", "--api-key", s, "--port", "80"] })],
  ["a list of arguments with =", (s) => ({ args: ["serve", `--api-key=${s}`] })],
  ["a command as a list", (s) => ({ command: ["curl", "-H", `Authorization: Bearer ${s}`, "http://x"] })],
  ["a short option", (s) => ({ command: ["sshpass", "-p", s, "ssh", "root@x"] })],
  ["user and password of curl", (s) => ({ command: ["curl", "-u", `root:${s}`, "http://x"] })],
  ["arguments in a string", (s) => ({ cmd: `vllm serve m --api-key ${s} --port 80` })],
  ["arguments as JSON in a string", (s) => ({ cmd: JSON.stringify(["serve", "--api-key", s]) })],
  ["ak and sk", (s) => ({ ak: `AK${s}`, sk: s })],
  ["sk below another", (s) => ({ object_store: { ak: "MYAK", sk: s } })],
  ["accessKey and secretKey", (s) => ({ s3: { accessKey: `A${s}`, secretKey: s } })],
  ["JSON in a string", (s) => ({ meta: JSON.stringify({ db: { password: s } }) })],
  ["JSON in JSON in a string", (s) => ({ meta: JSON.stringify({ inner: JSON.stringify({ api_key: s }) }) })],
  ["JSON with spaces in a string", (s) => ({ meta: JSON.stringify({ token: s }, undefined, 2) })],
  ["single quotes in a string", (s) => ({ meta: `{'token': '${s}', 'x': 1}` })],
  ["YAML in a string", (s) => ({ manifest: `a: 1\nauth:\n  password: ${s}\n  user: x\n` })],
  ["TOML in a string", (s) => ({ manifest: `[auth]\npassword = "${s}"\n` })],
  ["XML in a string", (s) => ({ manifest: `<config><password>${s}</password></config>` })],
  ["ini in a string", (s) => ({ manifest: `[auth]\npassword=${s}\n` })],
  [
    "Kubernetes secret in a string",
    (s) => ({ manifest: `kind: Secret\ndata:\n  any: ${encode(`${s}${s}`)}\n` }),
  ],
  ["docker auths", (s) => ({ registry: { auths: { "r.test": { auth: encode(`me:${s}`) } } } })],
  [
    "docker auths with a password",
    (s) => ({ registry: { auths: { "r.test": { username: "me", password: s } } } }),
  ],
  [
    "docker auths in a string",
    (s) => ({ registry: JSON.stringify({ auths: { "r.test": { auth: encode(`me:${s}`) } } }) }),
  ],
  ["an array of name and value", (s) => ({ variables: [{ name: "HF_TOKEN", value: s }] })],
  ["an array of key and value", (s) => ({ settings: [{ key: "db_password", value: s }] })],
  ["capital Key and Value", (s) => ({ Tags: [{ Key: "RootPassword", Value: s }] })],
  ["name and val", (s) => ({ settings: [{ name: "secret", val: s }] })],
  ["field and content", (s) => ({ settings: [{ field: "api_key", content: s }] })],
  ["label and text", (s) => ({ settings: [{ label: "Password", text: s }] })],
  ["k and v", (s) => ({ settings: [{ k: "token", v: s }] })],
  ["variable and value", (s) => ({ settings: [{ variable: "TOKEN", value: s }] })],
  ["id and value", (s) => ({ outputs: [{ id: "admin_password", value: s }] })],
  ["title and data", (s) => ({ outputs: [{ title: "API key", data: s }] })],
  ["type and value", (s) => ({ access: [{ type: "password", value: s }] })],
  ["kind and secret value", (s) => ({ access: [{ kind: "token", string: s }] })],
  ["name and values", (s) => ({ settings: [{ name: "tokens", values: [s, `${s}2`] }] })],
  ["name and default", (s) => ({ parameters: [{ name: "password", default: s }] })],
  [
    "pairs",
    (s) => ({
      extra: [
        ["JUPYTER_TOKEN", s],
        ["A", "b"],
      ],
    }),
  ],
  ["a flat list of pairs", (s) => ({ extra: ["HF_TOKEN", s] })],
  ["env as a list", (s) => ({ env: [`HF_TOKEN=${s}`, `X=${s}`] })],
  ["env as objects", (s) => ({ env: [{ name: "X", value: s }] })],
  ["env as objects with key", (s) => ({ envs: [{ key: "X", value: s }] })],
  ["env as a string", (s) => ({ env: `-e A=${s} -e B=1` })],
  ["env as JSON in a string", (s) => ({ env: JSON.stringify({ X: s }) })],
  ["env with a prefix", (s) => ({ docker: { environment: { X_TOKEN: s } } })],
  ["env_vars below config", (s) => ({ config: { env_vars: { ANY: s } } })],
  ["container env", (s) => ({ containers: [{ name: "a", env: [{ name: "ANY", value: s }] }] })],
  ["headers as a list", (s) => ({ headers: [{ name: "Authorization", value: `Bearer ${s}` }] })],
  ["headers as lines", (s) => ({ headers: [`X-Api-Key: ${s}`, "Accept: x"] })],
  ["headers as pairs", (s) => ({ headers: [["Authorization", `Token ${s}`]] })],
  ["headers in a string", (s) => ({ request: `GET / HTTP/1.1\r\nX-Auth-Token: ${s}\r\nHost: x` })],
  ["a cookie header", (s) => ({ request: { headers: { Cookie: `sid=${s}` } } })],
  [
    "health check",
    (s) => ({ healthcheck: { http: { headers: { authorization: `Basic ${encode(`u:${s}`)}` } } } }),
  ],
  ["a multi-line script", (s) => ({ boot: `#!/bin/sh\nset -e\nexport HF_TOKEN=${s}\nvllm serve m\n` })],
  ["a script with a command", (s) => ({ boot: `apt update\ncurl -u root:${s} http://x\n` })],
  ["a script with a heredoc", (s) => ({ boot: `cat > .env <<E\nDB_PASSWORD=${s}\nE\n` })],
  ["a script with chpasswd", (s) => ({ boot: `echo "root:${s}" | chpasswd\n` })],
  ["a script as a list", (s) => ({ runcmd: ["apt update", `wandb login --api-key ${s}`] })],
  ["runcmd of lists", (s) => ({ runcmd: [["export", `TOKEN=${s}`]] })],
  ["a Dockerfile", (s) => ({ dockerfile: `FROM x\nENV API_TOKEN ${s}\nRUN y` })],
  ["compose", (s) => ({ compose: `services:\n  a:\n    environment:\n      - TOKEN=${s}\n` })],
  ["docker arguments", (s) => ({ docker_args: `-e WANDB_API_KEY=${s} -p 80:80` })],
  ["netrc", (s) => ({ files: { "/root/.netrc": `machine x login y password ${s}` } })],
  [".npmrc", (s) => ({ files: [{ path: ".npmrc", content: `//r.test/:_authToken=${s}` }] })],
  ["write_files", (s) => ({ write_files: [{ path: "/etc/x", content: `password=${s}` }] })],
  [
    "write_files in base64",
    (s) => ({
      write_files: [{ path: "/etc/x", encoding: "b64", content: encode(`password=${s}\nuser=root\n`) }],
    }),
  ],
  ["a sentence", (s) => ({ notes: `Log in as root, password: ${s}` })],
  ["a sentence with is", (s) => ({ description: `The root password is ${s}1A!` })],
  ["a sentence with a colon and more", (s) => ({ description: `jupyter token: ${s}; port 8888` })],
  ["a title with a secret", (s) => ({ displayTitle: `box (pw: ${s})` })],
  ["a field's name", (s) => ({ [`token=${s}`]: 1 })],
  ["a key of a map", (s) => ({ sessions: { [`https://c.test/?token=${s}`]: "open" } })],
  ["a map of users", (s) => ({ users: { root: { password: s } } })],
  ["a list of users", (s) => ({ users: [{ name: "root", passwd: s }] })],
  ["a user's hash", (s) => ({ users: [{ name: "root", hashed_passwd: `$6$abc$${s}` }] })],
  ["an initial password", (s) => ({ initialPassword: s })],
  ["default_password", (s) => ({ image: { default_password: s } })],
  ["rootPw", (s) => ({ rootPw: s })],
  ["login below access", (s) => ({ access: { login: { user: "root", pass: s } } })],
  ["oneTimePassword", (s) => ({ oneTimePassword: s })],
  ["recovery key", (s) => ({ recovery: { encryption_key: s } })],
  ["a number", () => ({ pin: 48_201_377 })],
  ["passphrases in a list", (s) => ({ passphrases: [s, `${s}b`] })],
  ["credentials of two levels", (s) => ({ credentials: { ssh: { value: s } } })],
  ["secrets as a map", (s) => ({ secrets: { anything: s } })],
  ["secretEnv", (s) => ({ secretEnv: { ANY: s } })],
  ["vncPassword", (s) => ({ display: { vncPassword: s } })],
  ["spice ticket", (s) => ({ spice: { ticket_token: s } })],
  ["IPMI", (s) => ({ bmc: { ipmi: { user: "x", pw: s } } })],
  ["SNMP", (s) => ({ snmp: "community x", snmp_auth_key: s })],
  ["iSCSI", (s) => ({ iscsi: { chap_secret: s } })],
  ["WireGuard", (s) => ({ vpn: `[Interface]\nPrivateKey = ${s}\n` })],
  ["preshared key", (s) => ({ vpn: { preshared_key: s } })],
  ["Tailscale", (s) => ({ tailscale: { auth_key: s } })],
  ["kubeconfig", (s) => ({ kubeconfig: `users:\n- user:\n    token: ${s}` })],
  ["kubeconfig under another name", (s) => ({ access_file: `users:\n- user:\n    token: ${s}` })],
  ["client key data", (s) => ({ cluster: { user: { "client-key-data": encode(s) } } })],
  ["an OAuth client", (s) => ({ oauth: { client_id: "x", client_secret: s } })],
  ["a refresh token", (s) => ({ oauth: { refreshToken: s } })],
  ["a bearer", (s) => ({ oauth: { type: "bearer", bearer: s } })],
  ["a webhook", (s) => ({ webhook: `https://c.test/h/${s}` })],
  ["a callback with a token", (s) => ({ callback_url: `https://c.test/cb?secret=${s}` })],
  ["a signed URL", (s) => ({ logs: `https://b.test/l?X-Amz-Signature=${s}&X-Amz-Date=1` })],
  ["a SAS URL", (s) => ({ snapshot: `https://b.test/s?sv=1&sig=${s}` })],
  ["a download with a key", (s) => ({ iso: `https://b.test/x.iso?key=${s}` })],
  ["a pull secret", (s) => ({ imagePullSecrets: [{ username: "x", value: s }] })],
  ["git with a token", (s) => ({ repo: `https://oauth2:${s}@git.test/a.git` })],
  ["a git config", (s) => ({ git: `[http]\n extraheader = AUTHORIZATION: bearer ${s}` })],
  ["pip's index", (s) => ({ pip: `--index-url https://me:${s}@pypi.test/simple` })],
  ["a mount", (s) => ({ mounts: [`//nas/x /mnt cifs username=a,password=${s} 0 0`] })],
  ["an S3 mount", (s) => ({ mount: `s3fs b /m -o passwd_file=x -o secret_access_key=${s}` })],
  ["kernel arguments", (s) => ({ kernel: `ro quiet rd.luks.key=1 inst.password=${s}` })],
  ["SQL", (s) => ({ init_sql: `CREATE USER a IDENTIFIED BY '${s}x1'` })],
  ["a redis.conf", (s) => ({ conf: `bind x\nrequirepass ${s}\n` })],
  ["JDBC", (s) => ({ jdbc: `jdbc:mysql://d/x?user=a&password=${s}` })],
  ["a proxy", (s) => ({ http_proxy: `http://u:${s}@proxy.test:3128` })],
  ["an escaped URL", (s) => ({ link: `https:\\/\\/c.test\\/?token=${s}` })],
  ["HTML", (s) => ({ motd: `<a href="https://c.test/?token=${s}&amp;x=1">open</a>` })],
  ["Markdown", (s) => ({ motd: `[open](https://c.test/?token=${s})` })],
  ["a Terraform variable", (s) => ({ tf: `variable "token" { default = "${s}" }` })],
  ["an object of objects", (s) => ({ a: { b: { c: { d: { e: { apiToken: s } } } } } })],
  ["a list of lists", (s) => ({ a: [[[{ secret: s }]]] })],
  ["an OpenStack fault", (s) => ({ fault: { message: `failed: auth_token=${s}` } })],
  ["an error", (s) => ({ error: `401 for https://u:${s}@x.test` })],
  ["events", (s) => ({ events: [{ message: `set password=${s}` }] })],
  ["tags as a string", (s) => ({ tags: `a=b,token=${s}` })],
  ["tags as a list", (s) => ({ tags: [`token:${s}`] })],
  ["labels", (s) => ({ labels: { "x/api-token": s } })],
  ["annotations", (s) => ({ annotations: { "x.io/config": JSON.stringify({ token: s }) } })],
  [
    "metadata items",
    (s) => ({ metadata: { items: [{ key: "startup-script", value: `export TOKEN=${s}` }] } }),
  ],
  ["customData", (s) => ({ osProfile: { customData: encode(s), adminPassword: s } })],
  ["the user's data in parts", (s) => ({ user_data: { parts: [{ content: s }] } })],
  ["an ssh command", (s) => ({ connect: `sshpass -p '${s}' ssh root@x` })],
  ["a Windows password", (s) => ({ windows: { Password: s, UserName: "Administrator" } })],
  ["name of the server", (s) => ({ name: `box password=${s}` })],
  ["state of the server", (s) => ({ status: `running token=${s}` })],
  ["region of the server", (s) => ({ region: `eu?token=${s}` })],
  ["GPU of the server", (s) => ({ gpu: `H100 api_key=${s}` })],
  ["address of the server", (s) => ({ hostname: `https://root:${s}@c.test` })],
];

/** Places without any indication except the shape of the value. */
function shaped(fake: FakeSecrets): readonly Form[] {
  const jwt = fake.jwt();
  const pem = fake.pem("RSA");
  const key =
    (text: string): Form[1] =>
    () => ({ extra_info: text });
  const keys: readonly (readonly [string, string])[] = [
    ["GitHub", `ghp_${fake.random(36)}`],
    ["GitLab", `glpat-${fake.random(20)}`],
    ["AWS", `AKIA${fake.upper(16)}`],
    ["Alibaba", `LTAI5t${fake.random(18)}`],
    ["Tencent", `AKID${fake.random(32)}`],
    ["Google", `AIza${fake.random(35)}`],
    ["Hugging Face", `hf_${fake.random(34)}`],
    ["OpenAI", `sk-${fake.random(48)}`],
    ["Anthropic", `sk-ant-api03-${fake.random(80)}`],
    ["NVIDIA", `nvapi-${fake.random(60)}`],
    ["RunPod", `rpa_${fake.upper(40)}`],
    ["Slack", `xoxb-${fake.random(12, "0123456789")}-${fake.random(24)}`],
    [
      "Slack webhook",
      `https://hooks.slack.com/services/T${fake.upper(8)}/B${fake.upper(8)}/${fake.random(24)}`,
    ],
    [
      "Discord webhook",
      `https://discord.com/api/webhooks/${fake.random(18, "123456789")}/${fake.random(68)}`,
    ],
    ["Telegram", `${fake.random(10, "123456789")}:AA${fake.random(33)}`],
    ["Stripe", `sk_live_${fake.random(24)}`],
    ["DigitalOcean", `dop_v1_${fake.hex(64)}`],
    ["Tailscale", `tskey-auth-${fake.random(12)}-${fake.random(24)}`],
    ["Vault", `hvs.${fake.random(90)}`],
    ["JWT", jwt],
    ["bearer", `Bearer ${fake.random(40)}`],
    ["basic", `Basic ${encode(`root:${fake.password()}`)}`],
    ["random text", fake.random(40)],
    ["random text with signs", `${fake.random(20)}_${fake.random(12)}-${fake.random(8)}`],
    ["random base64", `${fake.base64(43)}=`],
    ["URL with a token in its path", `https://c.test/vnc/${fake.random(32)}/index.html`],
    ["URL with a hex token in its path", `https://c.test/console/${fake.hex(40)}`],
    ["URL with an unnamed token", `https://c.test/x?v=${fake.random(32)}`],
    ["URL with a bare query", `https://c.test/x?${fake.random(40)}`],
    ["URL with a bare fragment", `https://c.test/x#${fake.random(40)}`],
    [
      "a subdomain as a token",
      `https://${fake.random(40).toLowerCase()}x9y8.proxy.test/?auth=${fake.random(24)}`,
    ],
    ["user and password", `root:${fake.password()}@10.0.0.1`],
    ["a password hash", `$6$${fake.random(16)}$${fake.random(86)}`],
    ["private key", pem],
    ["private key without its end", pem.split("\n").slice(0, -1).join("\n")],
    ["private key without its begin", pem.split("\n").slice(1).join("\n")],
    ["private key in one line", pem.replaceAll("\n", "\\n")],
    ["private key in base64", encode(pem)],
  ];
  return [
    ...keys.map(([what, text]): Form => [`${what} under a name that says nothing`, key(text)]),
    ["private key as a list of lines", () => ({ lines: pem.split("\n") })],
    ["JWT in a nested list", () => ({ a: [{ b: [jwt] }] })],
    ["key in a field's name", () => ({ [`ghp_${fake.random(36)}`]: true })],
  ];
}

/** The secrets in such a place are its long random parts. */
function randomParts(value: unknown): readonly string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [...text.matchAll(/[A-Za-z0-9+/_]{20,}/g)]
    .map(([part]) => part)
    .filter((part) => !/^(?:services|webhooks)/.test(part));
}

/** More than 200 records, each with secrets in one place: simple ones, as people choose them, and random ones. */
export function unusualPlaces(): readonly UnusualPlace[] {
  const fake = new FakeSecrets(41);
  const simple = named.map(([what, form], index): UnusualPlace => {
    const secret = what === "a number" ? "48201377" : `planted${100 + index}x`;
    return { what: `${what}, simple`, record: form(secret), secrets: [secret] };
  });
  const random = named
    .filter(([what]) => what !== "a number")
    .map(([what, form]): UnusualPlace => {
      const secret = fake.random(32);
      return { what: `${what}, random`, record: form(secret), secrets: [secret] };
    });
  const byShape = shaped(fake).map(([what, form]): UnusualPlace => {
    const record = form("");
    return { what, record, secrets: randomParts(Object.entries(record).flat().flat()) };
  });
  return [...simple, ...random, ...byShape];
}

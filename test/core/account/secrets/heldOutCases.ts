import { collectCases, FakeSecrets } from "./fakeSecrets.ts";
import type { SecretCase } from "./fakeSecrets.ts";

/** Secrets in contexts that weren't used when the rules were written, which measures how well the rules generalize. */
export function heldOutCases(): readonly SecretCase[] {
  return [...heldOutCode(), ...heldOutFiles(), ...heldOutSentences(), ...heldOutCommands()];
}

function heldOutCode(): readonly SecretCase[] {
  const fake = new FakeSecrets(101);
  const { cases, add } = collectCases();
  const key = (): string => fake.random(36);
  const password = (): string => fake.password();
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["a class field", key(), (value) => `class A {\n  #token = "${value}";\n}`],
    ["a default parameter", key(), (value) => `function call(apiKey = "${value}") {}`],
    ["a Python default", key(), (value) => `def call(token: str = '${value}') -> None:`],
    ["getenv with a fallback", key(), (value) => `key = os.getenv("OPENAI_API_KEY", "${value}")`],
    ["a nullish fallback", key(), (value) => `const key = process.env.API_KEY ?? "${value}";`],
    ["requests' auth", password(), (value) => `requests.get(url, auth=("admin", "${value}"))`],
    ["psycopg", password(), (value) => `psycopg2.connect(host="db", user="app", password="${value}")`],
    [
      "JDBC",
      password(),
      (value) => `DriverManager.getConnection("jdbc:postgresql://db/x", "app", "${value}");`,
    ],
    ["a Java builder", key(), (value) => `Client.builder().clientSecret("${value}").build();`],
    [
      "a Spring property",
      key(),
      (value) => `spring.security.oauth2.client.registration.x.client-secret: ${value}`,
    ],
    ["C# configuration", key(), (value) => `services.AddX(o => { o.ApiKey = "${value}"; });`],
    ["a Go struct", password(), (value) => `cfg := Config{User: "app", Password: "${value}"}`],
    ["a Go header", key(), (value) => `req.Header.Set("X-API-Key", "${value}")`],
    ["axios", key(), (value) => "axios.get(url, { headers: { Authorization: `Bearer " + value + "` } })"],
    ["fetch", key(), (value) => `fetch(u, {headers: {'x-auth-token': '${value}'}})`],
    ["boto3", fake.base64(40), (value) => `boto3.client("s3", aws_secret_access_key="${value}")`],
    ["a Rust builder", key(), (value) => `.bearer_auth("${value}")`],
    ["Elixir", key(), (value) => `config :app, api_key: "${value}"`],
    ["Scala", password(), (value) => `val dbPassword = "${value}"`],
    ["Lua", key(), (value) => `local api_token = "${value}"`],
    ["Dart", key(), (value) => `static const String apiKey = '${value}';`],
    ["Objective-C", key(), (value) => `NSString *apiSecret = @"${value}";`],
    ["MATLAB", key(), (value) => `apiKey = '${value}';`],
    ["Julia", key(), (value) => `ENV["HF_TOKEN"] = "${value}"`],
    ["Haskell", key(), (value) => `apiKey = "${value}" :: Text`],
    ["VB", password(), (value) => `Dim password As String = "${value}"`],
    ["a SQL insert", password(), (value) => `UPDATE users SET password='${value}' WHERE id=1;`],
    [
      "GraphQL",
      password(),
      (value) => `mutation { login(email: "a@b.test", password: "${value}") { token } }`,
    ],
    ["a comment", password(), (value) => `// db password: ${value}`],
    ["a Python comment", key(), (value) => `# token = ${value}`],
    ["a diff", key(), (value) => `-  api_key: old\n+  api_key: ${value}`],
    ["a logged request", key(), (value) => `DEBUG > x-api-key: ${value}`],
    ["a Python repr", key(), (value) => `{'Authorization': 'Token ${value}'}`],
    ["a notebook cell", key(), (value) => `"source": ["os.environ['HF_TOKEN'] = '${value}'\\n"]`],
    [
      "JSON escaped twice",
      key(),
      (value) => JSON.stringify({ body: JSON.stringify({ client_secret: value }) }),
    ],
    ["a test fixture", fake.jwt(), (value) => `const session = { jwt: "${value}" };`],
    ["Svelte", key(), (value) => `export let accessToken = '${value}';`],
    ["Bash default", key(), (value) => `TOKEN="\${TOKEN:-${value}}"`],
    ["CMake", key(), (value) => `set(API_TOKEN "${value}")`],
    ["Gradle", password(), (value) => `storePassword "${value}"`],
    ["Groovy closure", password(), (value) => `credentials { username 'x'; password '${value}' }`],
    ["Jenkins", key(), (value) => `environment { SONAR_TOKEN = '${value}' }`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

function heldOutFiles(): readonly SecretCase[] {
  const fake = new FakeSecrets(103);
  const { cases, add } = collectCases();
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const key = (): string => fake.random(40);
  const password = (): string => fake.password();
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["a GitHub workflow", key(), (value) => `env:\n  DEPLOY_KEY: ${value}\n`],
    ["a GitLab pipeline", key(), (value) => `variables:\n  CI_DEPLOY_PASSWORD: "${value}"\n`],
    ["Ansible", password(), (value) => `ansible_ssh_pass=${value}`],
    ["Ansible YAML", password(), (value) => `ansible_become_password: '${value}'`],
    ["Vagrant", password(), (value) => `config.ssh.password = "${value}"`],
    ["rclone", fake.random(30), (value) => `[remote]\ntype = sftp\npass = ${value}`],
    [".s3cfg", fake.base64(40), (value) => `secret_key = ${value}`],
    [".my.cnf", password(), (value) => `[client]\nuser=root\npassword="${value}"`],
    ["Tomcat users", password(), (value) => `<user username="admin" password="${value}" roles="manager"/>`],
    ["NuGet", key(), (value) => `<add key="ClearTextPassword" value="${value}" />`],
    ["Spring XML", password(), (value) => `<property name="password" value="${value}"/>`],
    [
      "Android strings",
      `AIza${fake.random(35)}`,
      (value) => `<string name="google_api_key">${value}</string>`,
    ],
    ["an Xcode plist", key(), (value) => `<key>ClientSecret</key>\n\t<string>${value}</string>`],
    ["Terraform state", password(), (value) => `"attributes": {"id": "db-1", "password": "${value}"}`],
    ["Terraform variables", key(), (value) => `cloudflare_api_token = "${value}"`],
    ["Pulumi", key(), (value) => `config:\n  x:apiToken: ${value}`],
    ["CloudFormation", password(), (value) => `      MasterUserPassword: ${value}`],
    ["ECS task", key(), (value) => `{"name": "STRIPE_KEY_SECRET", "value": "${value}"}`],
    ["an env list with the value first", key(), (value) => `{"value": "${value}", "name": "API_TOKEN"}`],
    ["Helm values", password(), (value) => `postgresql:\n  auth:\n    postgresPassword: ${value}`],
    [
      "a Kubernetes secret in JSON",
      encode(password()),
      (value) => `{\n  "kind": "Secret",\n  "data": {\n    "x": "${value}"\n  }\n}`,
    ],
    [
      "a Kubernetes TLS key",
      encode(fake.pem("", 8)),
      (value) => `kind: Secret\ntype: kubernetes.io/tls\ndata:\n  tls.key: ${value}\n`,
    ],
    ["a kubeconfig token", fake.jwt(), (value) => `    user:\n      token: ${value}`],
    [
      "JDBC's URL",
      password().replace(/[@#]/, "-"),
      (value) => `jdbc:mysql://db:3306/x?user=app&password=${value}`,
    ],
    [
      "SQLAlchemy",
      password().replace(/[@#]/, "-"),
      (value) => `SQLALCHEMY_DATABASE_URI = "postgresql+psycopg2://app:${value}@db/x"`,
    ],
    ["ClickHouse", password().replace(/[@#]/, "-"), (value) => `clickhouse://default:${value}@ch:9000`],
    ["SMTP's URL", password().replace(/[@#]/, "-"), (value) => `MAILER_DSN=smtp://me:${value}@smtp.test:587`],
    ["FTP's URL", password().replace(/[@#]/, "-"), (value) => `lftp ftp://me:${value}@files.test`],
    [
      "an event hub",
      `${fake.base64(43)}=`,
      (value) => `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${value}`,
    ],
    [
      "Cosmos DB",
      `${fake.base64(86)}==`,
      (value) => `AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=${value};`,
    ],
    [
      "GCS signed",
      fake.hex(128),
      (value) => `https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4&X-Goog-Signature=${value}`,
    ],
    [
      "CloudFront signed",
      fake.random(90),
      (value) => `https://d1.cloudfront.net/x?Expires=1&Signature=${value}&Key-Pair-Id=K1`,
    ],
    [
      "OSS signed",
      fake.random(28),
      (value) => `https://b.oss-cn-x.aliyuncs.com/o?OSSAccessKeyId=LTAIx&Expires=1&Signature=${value}`,
    ],
    ["a password in a reset link", fake.random(32), (value) => `https://x.test/reset?token=${value}`],
    ["Jupyter's log", fake.hex(48), (value) => `http://127.0.0.1:8888/lab?token=${value}`],
    [
      "an OAuth redirect",
      fake.random(40),
      (value) => `https://x.test/cb#access_token=${value}&token_type=bearer`,
    ],
    [
      "a DingTalk webhook",
      fake.hex(64),
      (value) => `https://oapi.dingtalk.com/robot/send?access_token=${value}`,
    ],
    [
      "a WeCom webhook",
      fake.uuid(),
      (value) => `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${value}`,
    ],
    ["a HAR file", key(), (value) => `{"name": "Authorization", "value": "Bearer ${value}"}`],
    ["an HTTP response", fake.random(40), (value) => `Set-Cookie: sid=${value}; HttpOnly; Path=/`],
    ["an nginx header", key(), (value) => `proxy_set_header X-Api-Key "${value}";`],
    ["WireGuard's preshared key", `${fake.base64(43)}=`, (value) => `PresharedKey = ${value}`],
    ["a wifi profile", password(), (value) => `<keyMaterial>${value}</keyMaterial>`],
    ["cloud-init", password(), (value) => `#cloud-config\nchpasswd:\n  list: |\n    root:${value}\n`],
    ["cloud-init's password", password(), (value) => `#cloud-config\npassword: ${value}\n`],
    ["a Dockerfile argument", key(), (value) => `ARG NPM_TOKEN=${value}`],
    ["a systemd unit", key(), (value) => `Environment="API_TOKEN=${value}"`],
    ["a crontab", key(), (value) => `SERVICE_TOKEN=${value}\n0 * * * * run`],
    ["a Grafana data source", password(), (value) => `secureJsonData:\n  password: ${value}`],
    [
      "a Kafka client",
      password(),
      (value) => `sasl.jaas.config=x.PlainLoginModule required username="a" password="${value}";`,
    ],
    ["LDAP", password(), (value) => `bind_dn = cn=x\nbind_password = ${value}`],
    ["Solr", fake.random(24), (value) => `"credentials": {"solr": "${value}"}`],
    ["a service's env file", key(), (value) => `export ANTHROPIC_AUTH_TOKEN='${value}'`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

function heldOutSentences(): readonly SecretCase[] {
  const fake = new FakeSecrets(107);
  const { cases, add } = collectCases();
  const key = (): string => fake.random(30);
  const password = (): string => fake.password();
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["pw", password(), (value) => `root pw is ${value}`],
    ["pass", password(), (value) => `ssh root@10.1.2.3, pass: ${value}`],
    [
      "with the password",
      password(),
      (value) => `I log in as root with the password ${value} and get an error`,
    ],
    ["using token", key(), (value) => `I'm using token ${value} against the API`],
    ["the key is in the middle", key(), (value) => `Why is the API key ${value} rejected?`],
    ["is it right", key(), (value) => `Is this right? token=${value}`],
    ["our secret", key(), (value) => `our client secret: "${value}"`],
    ["changed to", password(), (value) => `I changed the password to ${value} yesterday`],
    ["set the password to", password(), (value) => `Set the admin password to ${value}.`],
    ["password equals", password(), (value) => `password = ${value}`],
    ["an arrow", key(), (value) => `API token → ${value}`],
    ["bold", password(), (value) => `**Password:** ${value}`],
    ["bold with code", password(), (value) => `- **password**: \`${value}\``],
    ["a list", password(), (value) => `1. user: admin\n2. password: ${value}\n`],
    ["a chat", password(), (value) => `Bob: what's the wifi password?\nAnn: password is "${value}"`],
    ["user and password with a slash", password(), (value) => `Login: admin / ${value}`],
    ["an e-mail", password(), (value) => `Your temporary password is: ${value}`],
    ["an e-mail over lines", password(), (value) => `Your new password:\n\n${value}\n\nPlease change it.`],
    ["a passphrase", "correct-horse-battery-staple", (value) => `The passphrase is "${value}".`],
    ["German with article", password(), (value) => `das Passwort für den Server ist ${value}`],
    ["German key", key(), (value) => `Mein API-Schlüssel lautet ${value}.`],
    ["German access", password(), (value) => `Zugangsdaten: admin / ${value}`],
    ["Japanese in brackets", password(), (value) => `パスワードは「${value}」です。`],
    ["Japanese token", key(), (value) => `トークンは ${value} です`],
    ["Chinese with a space", password(), (value) => `root 密码 ${value}`],
    ["Chinese key", key(), (value) => `我的API密钥是${value}。`],
    ["Korean", password(), (value) => `비밀번호는 ${value} 입니다`],
    ["Russian", password(), (value) => `пароль: ${value}`],
    ["Portuguese", password(), (value) => `a senha é ${value}`],
    ["an access key pair", fake.random(40), (value) => `Access key: AKX1, Secret key: ${value}`],
    ["AK/SK", fake.random(32), (value) => `AK/SK: MYAK123 / SK=${value}`],
    ["a PIN", password(), (value) => `the passcode for the door is ${value}`],
    ["a token without a verb", fake.hex(40), (value) => `gateway token ${value}x9`],
    ["a bearer with a colon", key(), (value) => `Bearer: ${value}`],
    ["a key in quotes", key(), (value) => `my OpenAI key "${value}" expired`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

function heldOutCommands(): readonly SecretCase[] {
  const fake = new FakeSecrets(109);
  const { cases, add } = collectCases();
  const key = (): string => fake.random(34);
  const password = (): string => fake.password().replace(/[!#]/, "-");
  const forms: readonly (readonly [string, string, (value: string) => string])[] = [
    ["curl with a long option", password(), (value) => `curl --user "admin:${value}" https://x.test`],
    ["curl with data", password(), (value) => `curl -d '{"user":"a","password":"${value}"}' https://x.test`],
    [
      "curl with form data",
      password(),
      (value) => `curl -d "grant_type=password&username=a&password=${value}" https://x.test`,
    ],
    ["curl with a cookie", key(), (value) => `curl -b "session=${value}" https://x.test`],
    ["curl over lines", key(), (value) => `curl https://x.test \\\n  -H "PRIVATE-TOKEN: ${value}" \\\n  -s`],
    ["httpie", key(), (value) => `http GET x.test X-API-Token:${value}`],
    ["gh", key(), (value) => `GH_TOKEN=${value} gh pr list`],
    ["az", password(), (value) => `az login --service-principal -u x -p ${value} --tenant y`],
    ["doctl", key(), (value) => `doctl auth init --access-token ${value}`],
    ["hf", `hf_${fake.random(34)}`, (value) => `huggingface-cli login --token ${value}`],
    ["wandb", fake.hex(40), (value) => `wandb login ${value}`],
    ["vault", `hvs.${fake.random(24)}`, (value) => `vault login ${value}`],
    ["mongosh", password(), (value) => `mongosh "mongodb://root:${value}@m:27017/admin"`],
    ["mysqldump", password(), (value) => `mysqldump --password=${value} shop > a.sql`],
    ["docker run", password(), (value) => `docker run -e POSTGRES_PASSWORD=${value} -p 5432:5432 postgres`],
    ["docker run with vLLM", key(), (value) => `docker run vllm/vllm-openai --model x --api-key ${value}`],
    ["fish", key(), (value) => `set -gx API_TOKEN ${value}`],
    ["csh", key(), (value) => `setenv API_TOKEN ${value}`],
    [
      "PowerShell's secure string",
      password(),
      (value) => `$p = ConvertTo-SecureString "${value}" -AsPlainText -Force; $password = $p`,
    ],
    ["PowerShell's option", password(), (value) => `Connect-X -Password '${value}'`],
    ["git config", key(), (value) => `git config http.extraheader "AUTHORIZATION: bearer ${value}"`],
    [
      "git remote",
      `ghp_${fake.random(36)}`,
      (value) => `origin  https://${value}@github.com/a/b.git (fetch)`,
    ],
    ["npm", key(), (value) => `npm config set //registry.test/:_authToken ${value}`],
    ["pip", password(), (value) => `pip install --index-url https://me:${value}@pypi.test/simple x`],
    ["twine", key(), (value) => `twine upload -u __token__ -p ${value} dist/*`],
    ["ansible", password(), (value) => `ansible-playbook x.yml -e "db_password=${value}"`],
    ["kubectl with a token", fake.jwt(), (value) => `kubectl --token=${value} get pods`],
    ["heroku", key(), (value) => `heroku config:set SECRET_KEY_BASE=${value}`],
    ["fly", key(), (value) => `fly secrets set DATABASE_PASSWORD=${value}`],
    ["su with a pipe", password(), (value) => `echo '${value}' | sudo -S apt update`],
    ["zip", password(), (value) => `zip -P ${value} a.zip b`],
    ["ssh-keygen", password(), (value) => `ssh-keygen -t ed25519 -N "${value}" -f key`],
    ["keytool", password(), (value) => `keytool -list -keystore a.jks -storepass ${value}`],
    ["rabbitmq", password(), (value) => `rabbitmqctl change_password admin ${value}`],
    ["our own client", fake.random(40), (value) => `gpuctl --access-key AK1 --api-secret ${value} servers`],
  ];
  for (const [what, value, form] of forms) add(what, value, form(value));
  return cases;
}

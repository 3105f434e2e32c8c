import { serviceForms } from "./everydayServices.ts";
import type { EverydayForm } from "./everydayServices.ts";
import { collectCases, FakeSecrets } from "./fakeSecrets.ts";
import type { SecretCase } from "./fakeSecrets.ts";

/** Stands for the secret in the texts below. */
const place = "{S}";

/** How the documentation of databases, frameworks, protocols and tools shows secrets, and how people write them. */
function otherForms(fake: FakeSecrets): readonly EverydayForm[] {
  return [
    [
      "MongoDB",
      () => fake.random(16),
      "mongodb+srv://app:{S}@cluster0.ab1cd.mongodb.net/db",
      "MONGO_INITDB_ROOT_PASSWORD: {S}",
    ],
    [
      "PostgreSQL",
      () => fake.password(),
      "DATABASE_URL=postgres://app:{S}@db.example.com:5432/app",
      "PGPASSWORD={S} psql -h db",
      "POSTGRES_PASSWORD: {S}",
      "db.example.com:5432:app:admin:{S}",
      "ALTER USER app WITH PASSWORD '{S}';",
      'psycopg2.connect("dbname=app user=app password={S}")',
    ],
    [
      "MySQL",
      () => fake.password(),
      "mysql -u root -p{S} app",
      "MYSQL_ROOT_PASSWORD={S}",
      "CREATE USER 'app'@'%' IDENTIFIED BY '{S}';",
      "define( 'DB_PASSWORD', '{S}' );",
      "[client]\nuser = root\npassword = {S}",
    ],
    [
      "SQL Server",
      () => fake.password(),
      "Server=db;Database=app;User Id=sa;Password={S};",
      "SA_PASSWORD={S}",
      "sqlcmd -S db -U sa -P {S}",
      "Server=db;Uid=sa;Pwd={S};",
    ],
    [
      "Redis",
      () => fake.random(24),
      "redis://:{S}@cache.example.com:6379/0",
      "requirepass {S}",
      "redis-cli -h cache -a {S}",
      "REDIS_PASSWORD={S}",
    ],
    [
      "JDBC",
      () => fake.password(),
      "jdbc:mysql://db:3306/app?user=app&password={S}",
      "spring.datasource.password={S}",
    ],
    [
      "RabbitMQ",
      () => fake.password(),
      "amqp://app:{S}@queue.example.com:5672/",
      "RABBITMQ_DEFAULT_PASS={S}",
    ],
    [
      "Kafka",
      () => fake.random(24),
      'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="{S}";',
      "sasl.password={S}",
    ],
    ["Django", () => fake.random(50), "SECRET_KEY = 'django-insecure-{S}'", "DJANGO_SECRET_KEY={S}"],
    ["Rails", () => fake.hex(128), "SECRET_KEY_BASE={S}", "secret_key_base: {S}"],
    ["Rails master key", () => fake.hex(32), "RAILS_MASTER_KEY={S}"],
    ["Laravel", () => `base64:${fake.base64(43)}=`, "APP_KEY={S}"],
    ["NextAuth", () => `${fake.base64(43)}=`, "NEXTAUTH_SECRET={S}", "AUTH_SECRET={S}"],
    ["JWT secret", () => fake.random(40), "JWT_SECRET={S}", 'jwt.sign(payload, "{S}")', "jwt.secret={S}"],
    [
      "session",
      () => fake.random(32),
      'app.secret_key = "{S}"',
      'app.use(session({ secret: "{S}", resave: false }))',
      "SESSION_SECRET={S}",
    ],
    [
      "cookie",
      () => fake.random(32),
      "Cookie: sessionid={S}; csrftoken=abc",
      "Set-Cookie: session={S}; HttpOnly; Path=/",
      "curl -b 'connect.sid=s%3A{S}' https://example.com",
    ],
    [
      "basic authentication",
      () => Buffer.from(`admin:${fake.random(16)}`).toString("base64"),
      "Authorization: Basic {S}",
      '{"Authorization": "Basic {S}"}',
    ],
    [
      "HTTP login",
      () => fake.password(),
      "curl -u admin:{S} https://example.com",
      "https://admin:{S}@example.com/path",
      'requests.get(url, auth=("admin", "{S}"))',
      "wget --user=me --password={S} https://example.com",
      "machine example.com login me password {S}",
    ],
    [
      "JSON Web Token",
      () => fake.jwt(),
      "Authorization: Bearer {S}",
      "the token is {S}",
      '{"access_token":"{S}","token_type":"Bearer"}',
      "https://app.example.com/login?token={S}",
      'localStorage.setItem("token", "{S}")',
    ],
    ["private key", () => fake.pem("RSA"), "{S}", "Here is my key:\n\n{S}\n\nWhy is it rejected?"],
    ["OpenSSH key", () => fake.pem("OPENSSH"), "cat ~/.ssh/id_ed25519\n{S}"],
    [
      "key in JSON",
      () => fake.pem("").replaceAll("\n", "\\n"),
      '"private_key": "{S}\\n",',
      'PRIVATE_KEY="{S}"',
    ],
    [
      "WireGuard",
      () => `${fake.base64(42)}E=`,
      "[Interface]\nPrivateKey = {S}\nAddress = 10.0.0.2/32",
      "PresharedKey = {S}",
    ],
    ["Vault", () => `hvs.${fake.random(95)}`, "VAULT_TOKEN={S}", "X-Vault-Token: {S}", "vault login {S}"],
    [
      "Terraform Cloud",
      () => `${fake.random(14)}.atlasv1.${fake.random(64)}`,
      'credentials "app.terraform.io" {\n  token = "{S}"\n}',
    ],
    ["Kubernetes", () => fake.jwt(), "    token: {S}", "kubectl --token={S} get pods"],
    [
      "Kubernetes secret",
      () => Buffer.from(fake.random(24)).toString("base64"),
      "kind: Secret\ndata:\n  password: {S}",
      "kubectl create secret generic db --from-literal=password={S}",
    ],
    [
      "Ansible",
      () => fake.password(),
      "ansible_password: {S}",
      "ansible_become_pass={S}",
      "ansible_ssh_pass: {S}",
    ],
    [
      "Jenkins",
      () => `11${fake.hex(32)}`,
      "curl -u admin:{S} https://ci.example.com/job/a/build",
      "JENKINS_API_TOKEN={S}",
    ],
    ["CircleCI", () => fake.hex(40), "Circle-Token: {S}", "CIRCLE_TOKEN={S}"],
    ["Wi-Fi", () => fake.password(), 'psk="{S}"', "wifi_password: {S}"],
    ["Notion", () => `ntn_${fake.random(46)}`, "NOTION_TOKEN={S}", 'new Client({ auth: "{S}" })'],
    [
      "Airtable",
      () => `pat${fake.random(14)}.${fake.hex(64)}`,
      "AIRTABLE_API_KEY={S}",
      "Authorization: Bearer {S}",
    ],
    ["Linear", () => `lin_api_${fake.random(40)}`, "LINEAR_API_KEY={S}", "Authorization: {S}"],
    ["Figma", () => `figd_${fake.random(40)}`, "X-Figma-Token: {S}"],
    ["Dropbox", () => `sl.${fake.random(135)}`, "DROPBOX_ACCESS_TOKEN={S}", 'dropbox.Dropbox("{S}")'],
    [
      "Twitter",
      () => fake.random(45),
      "TWITTER_ACCESS_TOKEN_SECRET={S}",
      "consumer_secret = '{S}'",
      "API_KEY_SECRET={S}",
    ],
    ["Facebook", () => fake.hex(32), "FACEBOOK_APP_SECRET={S}", "FB_APP_SECRET={S}", "app_secret: {S}"],
    [
      "Mapbox",
      () => `sk.eyJ1Ijoi${fake.random(60)}.${fake.random(22)}`,
      "MAPBOX_SECRET_TOKEN={S}",
      "MAPBOX_DOWNLOADS_TOKEN={S}",
    ],
    ["OpenWeather", () => fake.hex(32), "https://api.weather.test/data/2.5/weather?q=Oslo&appid={S}"],
    ["Okta", () => `00${fake.random(40)}`, "Authorization: SSWS {S}", "OKTA_API_TOKEN={S}"],
    [
      "Auth0",
      () => fake.random(64),
      "AUTH0_CLIENT_SECRET={S}",
      '{"client_id":"a","client_secret":"{S}","grant_type":"client_credentials"}',
    ],
    [
      "OAuth form",
      () => fake.random(40),
      "grant_type=refresh_token&client_id=a&refresh_token={S}",
      "curl -d 'client_secret={S}&code=1' https://id.example.com/token",
    ],
    [
      "Alibaba Cloud",
      () => fake.random(30),
      "ALIBABA_CLOUD_ACCESS_KEY_SECRET={S}",
      'accessKeySecret: "{S}"',
      "access_key_secret={S}",
    ],
    [
      "Tencent Cloud",
      () => fake.random(32),
      "TENCENTCLOUD_SECRET_KEY={S}",
      'credential.Credential("AKIDabc", "{S}")',
      "SecretKey: {S}",
    ],
    ["WeChat", () => fake.hex(32), "WECHAT_APP_SECRET={S}", '"appsecret": "{S}"'],
    [
      "login in a chat",
      () => fake.password(),
      "My password is {S}, why can't I log in?",
      "password: {S}",
      "密码：{S}",
      "Passwort: {S}",
      "contraseña: {S}",
      "mot de passe : {S}",
      "user: admin / pass: {S}",
    ],
    [
      "sshpass",
      () => fake.password(),
      "sshpass -p {S} ssh root@10.0.0.1",
      "sshpass -p '{S}' scp a root@10.0.0.1:/tmp",
    ],
    [
      "source code",
      () => fake.random(32),
      'const API_KEY = "{S}";',
      'private static final String PASSWORD = "{S}";',
      "$password = '{S}';",
      'token := "{S}"',
      'headers = {"X-API-Key": "{S}"}',
      'let apiToken: string = "{S}";',
      '#define WIFI_PASS "{S}"',
      "api_key: {S}",
      '{ "apiKey": "{S}" }',
      "<apiKey>{S}</apiKey>",
      '<add key="ApiKey" value="{S}"/>',
      "--api-key {S}",
      "--token={S}",
      "set API_TOKEN={S}",
      '$env:API_KEY = "{S}"',
      "setx API_KEY {S}",
      "ENV API_KEY={S}",
      "ARG TOKEN={S}",
      "docker run -e API_KEY={S} image",
      "- API_KEY={S}",
      'os.environ["API_KEY"] = "{S}"',
      'fetch(url, { headers: { Authorization: "Bearer {S}" } })',
      "| API key | {S} |",
      "API key: `{S}`",
      "**Token:** {S}",
      "name: API_KEY\nvalue: {S}",
      "X-Auth-Token: {S}",
      "X-API-Key: {S}",
      "?api_key={S}",
      "https://example.com/?access_token={S}&x=1",
    ],
  ];
}

/** Secrets in the forms in which the documentation of services shows them, written without a look at the rules. */
export function everydayCases(): readonly SecretCase[] {
  const fake = new FakeSecrets(4_711);
  const { cases, add } = collectCases();
  for (const [what, make, ...texts] of [...serviceForms(fake), ...otherForms(fake)])
    for (const text of texts) {
      const secret = make();
      add(
        `${what}: ${text}`,
        secret.includes("KEY-----") ? secret.split("\n").slice(1, -1) : secret,
        text.replace(place, () => secret),
      );
    }
  return cases;
}

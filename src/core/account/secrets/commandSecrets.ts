import { anyOf } from "./secretNames.ts";
import type { Scrutiny, SecretSpan } from "./secretValue.ts";
import { isCode, isPassword, isPlaceholder, isRandom, isTemplate, withoutTail } from "./secretValue.ts";

/**
 * A notation in which a secret is written. The secret is the last group of the pattern, and nothing that should be kept
 * follows it. After a `sure` one, there is always a secret; after a `likely` one, if it looks like a password or a key; and
 * one that is `shown` counts only in texts that are shown or logged.
 */
type SecretForm = readonly [kind: string, pattern: RegExp, certainty: "sure" | "likely" | "shown"];

/** Programs, and their options that are followed by a password. Their names don't reveal it. */
const passwordOptions: readonly (readonly [programs: string, options: string])[] = [
  ["mysql mysqldump mysqladmin mariadb mariadb-dump mongo mongosh mongodump", "-p"],
  ["sqlcmd isql cqlsh zip unzip 7z rar unrar influx mosquitto_pub mosquitto_sub usermod useradd", "-p -P"],
  [
    "sshpass redis-cli docker podman nerdctl skopeo az twine psexec ipmitool xfreerdp signtool",
    "-p -a -P /p:",
  ],
  ["ldapsearch ldapadd kinit ssh-keygen openssl gpg", "-w -N -k --passphrase"],
];
/** Programs whose options take a user and a password with a colon between them. */
const logins: readonly (readonly [programs: string, options: string])[] = [
  ["curl wget http https httpie xh ftp lftp etcdctl", "-u --user --proxy-user -U -a --auth -E --cert"],
];

let optionForms: readonly SecretForm[] | undefined;

function formsOfOptions(): readonly SecretForm[] {
  const command = (programs: string, options: string, value: string): RegExp =>
    new RegExp(String.raw`\b${anyOf(programs)}\b[^\n]{0,300}?[ \t]${anyOf(options)}${value}`, "g");
  const kind = "password of a command";
  const password = String.raw`[ \t=]{0,2}(?!ort|rotocol)["']?([^\s"'-][^\s"']{3,100})`;
  const login = String.raw`[ \t=]{0,3}["']?[^\s:,"']{1,100}[:,]([^\s"']{3,200})`;
  optionForms ??= [
    ...passwordOptions.map(
      ([names, options]) => [kind, command(names, options, password), "likely"] as const,
    ),
    ...logins.map(([names, options]) => [kind, command(names, options, login), "sure"] as const),
  ];
  return optionForms;
}

/** What else commands, settings and sentences look like around a password. */
const commands: readonly SecretForm[] = [
  [
    "bearer token",
    /\b(?:Bearer|Basic)[ \t]{1,8}((?=[\w.~+/=-]{0,200}\d|[\w.~+/=-]{20})[\w.~+/=-]{8,4000})/gi,
    "shown",
  ],
  ["password of a command", /\bsshpass[ \t]{1,8}-p[ \t]{0,8}["']?([^\s"']{1,200})/g, "sure"],
  [
    "password of a command",
    /\becho[ \t]{1,4}(?:-n[ \t])?["']?[\w.@-]{1,60}:([^\s"']{4,100})["']?[ \t]{0,4}\|[^\n|]{0,20}chpasswd/g,
    "sure",
  ],
  [
    "token of a command",
    /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?([^\s"'$|]{8,300})["']?[ \t]{0,4}\|[ \t]{0,4}[^\n|]{0,80}?(?:--password-stdin|--with-token|passwd --stdin|sudo -S)/g,
    "sure",
  ],
  [
    "token of a command",
    /\b(?:vault|hcloud|doctl|flyctl|railway|hf|wandb|snyk|ngrok|tailscale|[a-z]{3,15}-cli)(?:[ \t]{1,4}(?:config|auth|authtoken|add-authtoken|login|init)){1,3}[ \t]{1,4}["']?([^\s"'-][^\s"']{9,300})/g,
    "likely",
  ],
  [
    "password of a command",
    /\b(?:rabbitmqctl[ \t](?:change_password|add_user)|net user|mc alias set \S{1,60} \S{1,200})[ \t]{1,4}\S{1,60}[ \t]{1,4}["']?([^\s"']{4,100})/g,
    "sure",
  ],
  [
    "password of a command",
    /\bConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?["']([^"'\n]{3,200})/gi,
    "sure",
  ],
  [
    "cookie",
    /\bcurl\b[^\n]{0,400}?[ \t](?:-b|--cookie)[ \t=]["']?[^=\s"']{1,60}=([^\s"';]{8,2000})/g,
    "likely",
  ],
  [
    "password of cloud-init",
    /\bchpasswd:[^\n]{0,20}\n[^\n]{0,60}\n?[ \t]{1,20}(?:-[ \t])?[\w.-]{1,40}:([^\s:]{4,100})/g,
    "likely",
  ],
  [
    "password of a login",
    /\b(?:credentials?|creds|log ?in|sign in|account|zugang(?:sdaten)?|anmeldung)(?: with| as| is)?[ \t]?(?::|->)?[ \t]{0,3}["'`(]{0,2}[\w.@+-]{2,60}[ \t]{1,2}[/|:][ \t]{1,2}["'`]?([^\s"'`),;/|]{6,100})/gi,
    "likely",
  ],
  [
    "PIN",
    /\b(?:PIN|PIN[- ]code|pin code|[pP]asscode)(?: for [^\n:.,]{1,40})?(?: is|:| =|=) ?["'`]?(\d{4,8})(?!\d|\.\d)/g,
    "sure",
  ],
  ["password before a host", /(?<![\w/@.:-])[\w.-]{1,40}:([^\s:@"'/]{3,100})@(?:tcp|unix)\(/g, "sure"],
  [
    "password in SQL",
    /\b(?:IDENTIFIED(?: WITH [\w'"]{1,40})?[ \t]{1,4}(?:BY|AS)|WITH PASSWORD(?: =)?|PASSWORD)[ \t]{1,4}N?["']([^"'\n]{4,200})/gi,
    "sure",
  ],
  [
    "password in .pgpass",
    /(?:^|[\n"'`])[ \t]{0,8}[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:([^\s:"'`]{4,200})(?=[\s"'`]|$)/g,
    "sure",
  ],
  [
    "password of a command",
    /(?:USERPWD, {0,4}|\b(?:btoa|b64encode|base64_encode)\()b?["'`][\w.@+-]{1,60}:([^"'`\n]{4,100})["'`]/g,
    "sure",
  ],
  [
    "key of a signature",
    /\b(?:jwt\.\w{1,20}|createHmac|createCipheriv|createDecipheriv|hmac\.new|HMAC|\w{0,20}crypt)\([^()\n]{0,80}?,[ \t]{0,4}[bB]?["'`]([^"'`\n]{8,200})/g,
    "likely",
  ],
];

/** Finds secrets in commands, statements, and files with one secret per line. */
export function findCommandSecrets(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return findForms([...formsOfOptions(), ...commands], text, scrutiny);
}

/** Finds secrets by the notations around them. */
function findForms(forms: readonly SecretForm[], text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return forms.flatMap(([kind, pattern, certainty]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const value = withoutTail(match[1] ?? "", ".,;:)]}");
      if (!isFormSecret(value, certainty, scrutiny)) return [];
      const start = match.index + match[0].lastIndexOf(match[1] ?? "");
      return [{ kind, start, end: start + value.length }];
    }),
  );
}

/** Whether the value found in such a notation is a secret. */
function isFormSecret(value: string, certainty: SecretForm[2], scrutiny: Scrutiny): boolean {
  if (value === "" || isTemplate(value)) return false;
  if (scrutiny === "strict" && certainty !== "likely") return true;
  if (certainty === "shown" || isPlaceholder(value)) return false;
  return certainty === "sure" || isPassword(value) || isRandom(value, 12);
}

const cookies = /\b(?:set-)?cookie2?["']?\s{0,2}[:=,]\s{0,2}["'`]?([^\n"'`]{8,4000})/gi;
/** The random values of cookies, regardless of their names. */
export function findCookies(text: string): readonly SecretSpan[] {
  return [...text.matchAll(cookies)].flatMap((match) => {
    const list = match[1] ?? "";
    const from = match.index + match[0].length - list.length;
    return [...list.matchAll(/[^\s;=]=([^\s;]{8,4000})/g)]
      .filter(([, value = ""]) => isRandom(value, 12) && !isPlaceholder(value) && !isCode(value))
      .map((found) => {
        const end = from + found.index + found[0].length;
        return { kind: "cookie", start: end - (found[1] ?? "").length, end };
      });
  });
}

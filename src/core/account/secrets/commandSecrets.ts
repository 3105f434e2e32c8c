import type { Scrutiny, SecretSpan } from "./secretValue.ts";
import {
  isCode,
  isPassword,
  isPlaceholder,
  isRandom,
  isTemplate,
  isUnmistakable,
  withoutTail,
} from "./secretValue.ts";

/** A notation in which a secret is written, such as the password in a URL or after an option. */
export interface SecretForm {
  readonly kind: string;
  /** The secret is the last group, and nothing that should be kept follows it. */
  readonly pattern: RegExp;
  /** Whether a match is always a secret, rather than only if it looks like a password or a key. */
  readonly isSure?: boolean;
  /** Matches notations in sentences, where nearly any other text has the same form. */
  readonly isProse?: boolean;
}

/** Notations for a user with a password, and program options whose names don't reveal that they are secret. */
const commands: readonly SecretForm[] = [
  {
    kind: "password of a command",
    pattern:
      /\b(?:curl|wget|https?|httpie|xh|l?ftp|etcdctl)\b[^\n]{0,400}?[ \t](?:-u|--user|--proxy-user|-U|-a|--auth|-E|--cert)(?:[ \t=]{0,3})["']?[^\s:,"']{1,100}[:,]([^\s"']{3,200})/gi,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern:
      /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mongo(?:sh|dump)?|7z|cqlsh|sqlcmd|isql)\b[^\n|;&]{0,200}?[ \t]-[pP][ \t]?(?!ort|rotocol)["']?([^\s"'-][^\s"']{3,100})/g,
  },
  {
    kind: "password of a command",
    pattern:
      /\b(?:sshpass|redis-cli|docker|podman|az|twine|nerdctl|skopeo|ldapsearch|ldapadd|impacket-\w{1,20}|unzip|zip|influx|mosquitto_(?:pub|sub)|kinit|xfreerdp|smbclient|vncpasswd|expect|psexec|PsExec\w{0,5}|gpg|rar|unrar|\w{0,5}signtool|osslsigncode|certutil|pvk2pfx|keytool|usermod|useradd|ipmitool|racadm|smbmap|netexec|nxc|evil-winrm)\b[^\n|;&]{0,200}?[ \t](?:-h?p|-a|-w|-P|\/p[: ]|--passphrase)[ \t]{0,2}["']?([^\s"'-][^\s"']{3,100})/g,
  },
  {
    kind: "password of a command",
    pattern: /\bsshpass[ \t]{1,8}-p[ \t]{0,8}["']?([^\s"']{1,200})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /\bsmbclient\b[^\n]{0,200}?-U[ \t]{0,2}["']?[^\s%"']{1,60}%([^\s"']{3,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /-pass(?:in|out)?[ \t=]{1,3}["']?pass:([^\s"']{3,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern:
      /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?[\w.@-]{1,60}:([^\s"']{4,100})["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t])?chpasswd/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern:
      /\bhtpasswd\b[^\n]{0,80}?-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,60}[ \t]{1,4}["']?([^\s"']{4,100})/g,
    isSure: true,
  },
  {
    kind: "token of a command",
    pattern:
      /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?([^\s"'$|]{8,300})["']?[ \t]{0,4}\|[ \t]{0,4}[^\n|]{0,80}?(?:--password-stdin|--with-token|--token-stdin|passwd --stdin|sudo -S)/g,
    isSure: true,
  },
  {
    kind: "token of a command",
    pattern: /(?:--with-token|--password-stdin)[ \t]{0,4}<<<[ \t]{0,4}["']?([^\s"'$]{8,300})/g,
    isSure: true,
  },
  {
    kind: "token of a command",
    pattern:
      /\b(?:vault|hcloud|doctl|flyctl|railway|huggingface-cli|hf|wandb|netlify|sentry-cli|snyk|ngrok(?: config)?|cloudflared|tailscale)[ \t]{1,4}(?:auth[ \t]{1,4}|authtoken[ \t]{1,4}|add-authtoken[ \t]{1,4}|login[ \t]{1,4}|init[ \t]{1,4}){1,2}(?:-\S{1,20}[ \t]{1,4}){0,2}["']?([^\s"'-][^\s"']{9,300})/g,
  },
  {
    kind: "password hash",
    pattern:
      /(?:^|[\s"'])[\w.-]{1,40}:(\$(?:apr1|1|2[aby]|5|6|7|y|argon2\w{0,3})\$[^\s:"']{16,300}|\{SHA\}[\w+/=]{20,60})/g,
    isSure: true,
  },
  {
    kind: "password of a login",
    isProse: true,
    pattern:
      /\b(?:credentials?|creds|login|log in(?: with| as)?|sign in(?: with| as)?|account|user(?:name)?|admin|zugang|anmeldung)\b[^\n:/|?=([{.]{0,40}?:?[ \t]{0,3}["'`(]{0,2}[\w.@+-]{2,60}(?:[ \t]{1,2}(?:\/|\||:)[ \t]{1,2}|:)(?!\/)([^\s"'`),;/|]{6,100})/gi,
  },
  {
    kind: "password of a command",
    pattern: /\bssh-keygen\b[^\n]{0,200}?[ \t]-[NP][ \t]{0,2}["']?([^\s"'-][^\s"']{3,100})/g,
  },
  {
    kind: "password of a command",
    pattern:
      /\b(?:rabbitmqctl[ \t](?:change_password|add_user|authenticate_user)|net user|vncpasswd -f|smbpasswd -a|dscl \. -passwd)[ \t]{1,4}\S{1,60}[ \t]{1,4}["']?([^\s"']{4,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /\bConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?["']([^"'\n]{3,200})/gi,
    isSure: true,
  },
  {
    kind: "cookie",
    pattern: /\bcurl\b[^\n]{0,400}?[ \t](?:-b|--cookie)[ \t=]["']?[^=\s"']{1,60}=([^\s"';]{8,2000})/g,
  },
  {
    kind: "password of cloud-init",
    pattern: /\bchpasswd:[^\n]{0,20}\n[^\n]{0,60}\n?[ \t]{1,20}(?:-[ \t])?[\w.-]{1,40}:([^\s:]{4,100})/g,
  },
  {
    kind: "password of a login",
    pattern:
      /\b(?:credentials?|creds|login|log in(?: with| as)?|sign in(?: with| as)?|zugang(?:sdaten)?|anmeldung)\b[ \t]?:?[ \t]{0,3}["'`(]{0,2}[\w.@+-]{2,60}[ \t]{1,2}(?:\/|\||:)[ \t]{1,2}["'`]?([^\s"'`),;/|]{6,100})/gi,
  },
  {
    kind: "password of Redis",
    pattern: /(?:^|[>:;"'`] ?)AUTH[ \t]{1,3}(?:default[ \t]{1,3})?["']?([^\s"'`;]{6,200})/gm,
  },
  {
    kind: "PIN",
    pattern:
      /\b(?:PIN|PIN[- ]code|pin code|[pP]asscode|[uU]nlock code|[oO]ne-time code)(?: (?:for|of|to) [^\n:.,]{1,40})?(?: is|:| =|=) ?["'`]?(\d{4,8})(?!\d|\.\d)/g,
    isSure: true,
  },
  {
    kind: "password before a host",
    pattern: /(?<![\w/@.:-])[\w.-]{1,40}:([^\s:@"'/]{3,100})@(?:tcp|unix)\(/g,
    isSure: true,
  },
  {
    kind: "password before a host",
    pattern:
      /(?<![\w/@.:-])(?!mailto|npm|acct|sip|xmpp|workspace|git)[\w.-]{1,40}:([^\s:@"'/]{6,100})@(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[a-z][\w-]{0,40}(?:\.[\w-]{1,40}){0,4}\.[a-z]{2,10})(?![\w.])/g,
  },
  {
    kind: "password of a command",
    pattern: /<<<[ \t]{0,3}["']?([^\s"'$(){}<>][^\s"'(){}<>]{5,100})/g,
  },
  {
    kind: "password of a command",
    pattern:
      /\bnet use[ \t]{1,4}(?:(?:\w:|\*)[ \t]{1,4})?\\\\[^\s\\]{1,60}\\[^\s\\]{1,60}[ \t]{1,4}(?:\/\S{1,100}[ \t]{1,4}){0,3}(?!\/)["']?([^\s"'*]{6,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /\bopenssl\b[^\n|;&]{0,120}?[ \t]-[kK][ \t]{1,3}["']?([^\s"'*]{6,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /\bCURLOPT_(?:USER|PROXYUSER)PWD,[ \t]{0,4}["'][^:"'\n]{1,60}:([^\s"'*]{6,100})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern: /-(?:command|file)[ =]["']?(?:<\()?echo[ \t]{1,3}["']?([^\s"'*)]{6,100})/g,
    isSure: true,
  },
  {
    kind: "password of a device",
    pattern:
      /\b(?:snmp-server community|(?:enable|username[ \t]\S{1,60}(?:[ \t]privilege \d{1,2})?)[ \t](?:secret|password)(?:[ \t]\d)?|authentication-key|pre-shared-key(?:[ \t]ascii-text)?|key-string(?: \d)?|tacacs-server key(?: \d)?|radius-server key(?: \d)?)[ \t]{1,4}["']?([^\s"';]{4,200})/g,
  },
  {
    kind: "password of a tunnel",
    pattern: /<auth-user-pass>\s{0,4}\n[^\n]{1,100}\n([^\s<]{4,200})/g,
    isSure: true,
  },
  {
    kind: "response of a login",
    pattern: /\bDigest[ \t][^\n]{0,400}?\bresponse="?([0-9a-f]{32,64})/g,
    isSure: true,
  },
  {
    kind: "password of a login",
    pattern:
      /\bU(?:ser|N)?[ \t]{0,2}:[ \t]{0,2}[\w.@+-]{1,60}[\s,;|/]{1,4}P(?:ass|W)?[ \t]{0,2}:[ \t]{0,2}["'`]?([^\s"'`]{6,100})/gi,
  },
  {
    kind: "password of a login",
    isProse: true,
    pattern:
      /\b(?:log(?:ged)? in|sign(?:ed)? in|login|credentials?|creds)(?:[ \t](?:as|with|using|is|are))?[ \t:]{1,3}["'`]?[\w.@+-]{2,40}\/([^\s"'`),;/|]{6,60})(?=["'`.,;!?)]{0,2}(?:\s|$))/gi,
  },
  {
    kind: "Azure key",
    pattern: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([^\s;"'<>]{8,400})/gi,
    isSure: true,
  },
  {
    kind: "Kerberos or TLS key log",
    pattern:
      /\b(?:CLIENT_RANDOM|CLIENT_TRAFFIC_SECRET_\d|SERVER_TRAFFIC_SECRET_\d) [0-9a-f]{64} ([0-9a-f]{64,128})/g,
    isSure: true,
  },
  {
    kind: "password of a server",
    pattern:
      /(?:^|\n)[ \t]{0,8}(?:\[[\w.-]{1,80}\]:\d{2,5}|[\w.-]{1,80}(?:\.[\w-]{1,60}|:\d{2,5}))[ \t:]{1,8}[\w.@+-]{1,60}:([^\s:/][^\s:]{5,200})(?=\s|$)/g,
    isProse: true,
  },
  {
    kind: "password of a phone",
    pattern: /\bsips?:[^\s:@"'<>]{1,60}:([^\s@"'<>]{4,100})@/g,
    isSure: true,
  },
  {
    kind: "password of a device",
    pattern:
      /(?:^|\n)[ \t]{0,8}option[ \t]{1,4}(?:key\d?|psk|password|passphrase|secret|auth_secret|sae_password)[ \t]{1,4}["']([^"'\n]{4,200})["']/g,
    isSure: true,
  },
  {
    kind: "password of a tunnel",
    pattern: /(?:^|\n)[^\n:#]{0,80}:[ \t]{0,4}(?:PSK|EAP|XAUTH|NTLM|PIN)[ \t]{1,4}["']([^"'\n]{4,200})/g,
    isSure: true,
  },
  {
    kind: "password of a tunnel",
    pattern:
      /(?:^|\n)["']?[\w.@*-]{1,60}["']?[ \t]{1,8}["']?[\w.*-]{1,60}["']?[ \t]{1,8}["']([^"'\n]{6,100})["'][ \t]{1,8}(?:\*|\d{1,3}(?:\.\d{1,3}){3})/g,
    isSure: true,
  },
  {
    kind: "password of a command",
    pattern:
      /\bmc(?:li)?[ \t]{1,4}(?:alias[ \t]{1,4}set|config[ \t]{1,4}host[ \t]{1,4}add)[ \t]{1,4}\S{1,60}[ \t]{1,4}\S{1,200}[ \t]{1,4}\S{1,100}[ \t]{1,4}["']?([^\s"']{6,200})/g,
    isSure: true,
  },
  {
    kind: "password of a device",
    pattern:
      /\b(?:crypto[ \t](?:isakmp|ikev?\d?|keyring)[ \t]key|(?:md5|tacacs|radius|server|wpa\d?-psk)[ \t]key|snmp-server user \S{1,40} \S{1,40} v3 auth \w{1,8})(?:[ \t]\d)?[ \t]{1,4}["']?([^\s"';]{4,200})/g,
  },
];

/** Finds secrets in commands, and in files with one secret per line. */
export function findCommandSecrets(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return findForms(commands, text, scrutiny);
}

/** Finds secrets by the notations around them. */
export function findForms(
  forms: readonly SecretForm[],
  text: string,
  scrutiny: Scrutiny,
): readonly SecretSpan[] {
  return forms.flatMap(({ kind, pattern, isSure, isProse }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const value = withoutTail(match[1] ?? "", ".,;:)]}");
      if (!isCommandSecret(value, isSure === true, scrutiny) || (isProse === true && !isChosen(value)))
        return [];
      const start = match.index + match[0].lastIndexOf(match[1] ?? "");
      return [{ kind, start, end: start + value.length }];
    }),
  );
}

/** Whether the value found in such a notation is a secret. `isSure` means that the notation contains nothing else. */
export function isCommandSecret(value: string, isSure: boolean, scrutiny: Scrutiny): boolean {
  if (value === "" || isTemplate(value)) return false;
  if (isSure && scrutiny === "strict") return true;
  if (isPlaceholder(value)) return false;
  return isSure || isPassword(value) || isRandom(value, 12);
}

/** Whether it is more than a number, an ID or a member expression. */
function isChosen(value: string): boolean {
  const isMixed =
    /\d/.test(value) && /[a-z]/i.test(value) && (/[A-Z]/.test(value) || /[!@#$%^&*~+]/.test(value));
  return (isMixed || isUnmistakable(value)) && !isCode(value) && !/^[0-9a-f]{8}-|^[\w.-]+\(/i.test(value);
}

const cookies = /\b(?:set-)?cookie2?["']?\s{0,2}[:=,]\s{0,2}["'`]?([^\n"'`]{8,4000})/gi;

/** The random values of cookies, regardless of their names. */
export function findCookies(text: string): readonly SecretSpan[] {
  return [...text.matchAll(cookies)].flatMap((match) => {
    const list = match[1] ?? "";
    const from = match.index + match[0].length - list.length;
    return [...list.matchAll(/=([^\s;=]{8,4000}={0,2})/g)]
      .filter(([, value = ""]) => isRandom(value, 12) && !isPlaceholder(value) && !isCode(value))
      .map((found) => {
        const end = from + found.index + found[0].length;
        return { kind: "cookie", start: end - (found[1] ?? "").length, end };
      });
  });
}

/** What a field's name says about its value. `environment` holds variables: their names may be shown, no value. */
export type SecretName = "secret" | "environment" | undefined;

const environmentNames = new Set(["env", "envs", "envvars", "extraenv", "environmentvariables", "dockerenv"]);

/** One of these words in a name makes a secret of its value. */
const secretWords =
  /^(?:tokens?|passwords?|passwds?|passwd|passphrases?|passcode|pwd|pswd|secrets?|credentials?|creds?|authorization|cookies?|signature|nonce|otp|totp|mnemonic|bearer|jwt|kubeconfig|userdata|cloudinit|htpasswd|dsn|sas|webhook|apikeys?|authkeys?|privatekeys?|secretkeys?|accesskeys?|sshkey)$/;

/** The same, for names written as one word. */
const secretParts =
  /token|passw|passphrase|secret|credential|apikey|privatekey|accesskey|authkey|kubeconfig|userdata|cloudinit|connectionstring|presigned|signedur[il]|startupscript|onstart/;

/** These only at the end of a name: `root_pass` and `ipmi_pw`, but not `pass_through`. */
const lastWords = /^(?:pass|pw|pin|pincode)$/;
const passAtEnd = /(?<!by|com|sur|tres|encom)pass$/;

/** A key that is none of these is a name or a public thing: `key_name`, `ssh_key_ids`, `keypair`, `publicKey`. */
const keyOwners = new Set(
  "private api access secret auth encryption master session signing shared storage account admin host client server deploy ssh wireguard preshared".split(
    " ",
  ),
);

/** A way into the machine whose address often carries the right to enter. */
const consoles =
  /console|novnc|vnc|spice|jupyter|webssh|webshell|terminal|kvm|ipmi|idrac|\bilo\b|bmc|remote|login|callback|notebook|vscode/;
const addresses = /ur[il]$|link$|href$|endpoint$/;

const cache = new Map<string, SecretName>();

/** Judges a field by its name, however it is written: `apiToken`, `API-TOKEN`, `user_data`. */
export function secretName(name: string): SecretName {
  const known = cache.get(name);
  if (known !== undefined || cache.has(name)) return known;
  if (cache.size > 5_000) cache.clear();
  const judged = judge(name.slice(0, 200));
  cache.set(name, judged);
  return judged;
}

function judge(name: string): SecretName {
  const words = splitWords(name);
  const joined = words.join("");
  if (environmentNames.has(joined)) return "environment";
  if (/^(?:public|has|is|requires?|enable|disable|allow|supports?)$/.test(words[0] ?? "")) return undefined;
  if (words.some((word) => secretWords.test(word)) || secretParts.test(joined)) return isHarmless(joined);
  if (lastWords.test(words.at(-1) ?? "") || passAtEnd.test(joined)) return "secret";
  if (/^(?:vnc|novnc|spice|console|jupyter)$/.test(joined)) return "secret";
  if (consoles.test(joined) && addresses.test(joined)) return "secret";
  return isSecretKey(words) ? "secret" : undefined;
}

/** Counts and ids of secrets, and the options of AWS-like metadata services, tell nothing. */
function isHarmless(joined: string): SecretName {
  return /(?:tokens?|secrets?|credentials?)(?:count|limit|names?|ids?|type|ttl|expiry|expires|expiresat|expiration)$|^httptokens$|^(?:max|min|num)/.test(
    joined,
  )
    ? undefined
    : "secret";
}

function isSecretKey(words: readonly string[]): boolean {
  const index = words.findLastIndex((word) => word === "key" || word === "keys");
  const owner = words[index - 1];
  if (index === -1 || owner === undefined || words.includes("public")) return false;
  const rest = words.slice(index + 1);
  const isNaming = rest.some((word) => /^(?:names?|ids?|type|fingerprint|pair|pairs)$/.test(word));
  const isSshList = owner === "ssh" && words[index] === "keys";
  return keyOwners.has(owner) && !isNaming && !isSshList;
}

/** `userDataURL2` to `user data url2`. */
function splitWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

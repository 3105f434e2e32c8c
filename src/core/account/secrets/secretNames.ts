/** What a field's name says about its value. `environment` holds variables: their names may be shown, no value. */
export type SecretName = "secret" | "environment" | undefined;

const environmentNames = new Set(["env", "envs", "envvars", "extraenv", "environmentvariables", "dockerenv"]);

/** One of these words in a name makes a secret of its value. */
const secretWords =
  /^(?:tokens?|passwords?|passwds?|passwd|passphrases?|passcode|pwd|pswd|psw|psk|passwort|kennwort|secrets?|credentials?|creds?|authorization|auths|cookies?|signature|nonce|otp|totp|mnemonic|bearer|jwt|kubeconfig|userdata|cloudinit|htpasswd|dsn|sas|sig|webhook|apikeys?|authkeys?|privatekeys?|secretkeys?|accesskeys?|sshkey|authtok|passkey|seedphrase|ak|sk)$/;

/** The same, for names written as one word. */
const secretParts =
  /token(?!iz|is[ei])|passw|passphrase|secret(?!ar)|credential|apikey|privatekey|accesskey|accountkey|authkey|keymaterial|kubeconfig|userdata|customdata|cloudinit|connectionstring|presigned|signedur[il]|startupscript|onstart|bootstrapscript/;

/** These only at the end of a name: `root_pass` and `ipmi_pw`, but not `pass_through`. */
const lastWords = /^(?:pass|pw|pin|pincode)$/;
const passAtEnd = /(?<!by|com|sur|tres|encom)pass$|(?:bind|root|admin|user|db|my|pg|svc|smtp|ftp|ldap)pw$/;
/** These only behind another word: `GH_PAT`, `totp_seed`, `recovery_code`. */
const ownedEnds =
  /(?:gh|github|gitlab|gl|azure|devops|ado|git|vsce|ovsx|jira|access)_pat$|(?:otp|mfa|totp|2fa|wallet)_seed$|(?:recovery|backup)_(?:codes?|keys?)$/;

/** A key that is none of these is a name or a public thing: `key_name`, `ssh_key_ids`, `keypair`, `publicKey`. */
const keyOwners = new Set(
  "private api access secret auth encryption master session signing shared storage account admin host client server deploy ssh wireguard preshared subscription license service root instrumentation encrypted licence webhook consumer app application recovery validation decryption hmac jwt cipher aes crypto unseal ingest ingestion routing integration maps".split(
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
  const classified = classify(name.slice(0, 200));
  cache.set(name, classified);
  return classified;
}

/** Whether people choose values of such a name: `password`, `dbPass`, `PIN`. Others are made by machines. */
export function isPasswordName(name: string): boolean {
  return /pass(?:w|phrase|code)|pwd|pswd|psw\b|kennwort|secret|keymaterial|psk|(?<!by|com|sur|tres|encom)pass$|(?:^|[-_.])(?:pass|pw|pin)$|(?:[a-z])(?:Pass|Pw|Pin)$|(?:bind|root|admin|user|db|my|pg|svc|smtp|ftp|ldap)pw$|^community$/i.test(
    name,
  );
}

function classify(name: string): SecretName {
  const words = splitWords(name);
  const joined = words.join("");
  if (environmentNames.has(joined)) return "environment";
  if (/^(?:public|has|is|requires?|enable|disable|allow|supports?)$/.test(words[0] ?? "")) return undefined;
  if (words.some((word) => secretWords.test(word)) || secretParts.test(joined)) {
    return isHarmless(words, joined) ? undefined : "secret";
  }
  if (lastWords.test(words.at(-1) ?? "") || passAtEnd.test(joined)) return "secret";
  if (words.length > 1 && ownedEnds.test(words.join("_"))) return "secret";
  if (/^(?:vnc|novnc|spice|console|jupyter)$/.test(joined)) return "secret";
  if (consoles.test(joined) && addresses.test(joined)) return "secret";
  return isSecretKey(words) ? "secret" : undefined;
}

/** Counts, limits, names and kinds of secrets, the tokens that models count, and options of AWS-like metadata services. */
function isHarmless(words: readonly string[], joined: string): boolean {
  const last = words.at(-1) ?? "";
  if (
    /^(?:max|min|num|n|no|total|prompt|completion|input|output|cached|reasoning|context|remaining|used|generated|special)$/.test(
      words[0] ?? "",
    ) &&
    /tokens?/.test(joined)
  )
    return true;
  if (
    /^(?:[bec]os|sep|cls|mask|pad|unk|stop|end|first|next|page|continuation|idempotency)(?:token|key)s?/.test(
      joined,
    )
  )
    return true;
  if (
    /^httptokens$|tokensper|tokencount|tokenlimit|tokenbudget|tokenusage|tokenlength|tokenrate/.test(joined)
  )
    return true;
  return (
    words.length > 1 &&
    /^(?:count|counts|limit|limits|name|names|ids?|type|types|ttl|expiry|expires|expiration|expired|at|length|size|policy|policies|version|versions|hint|label|title|placeholder|enabled|disabled|required|rotation|rotated|method|field|input|status|state|created|updated|age|mode|provider|format|prefix|strength|min|max|ref|refs|arn|manager|store|count|index)$/.test(
      last,
    ) &&
    !/(?:access|api)(?:key)s?ids?$/.test(joined)
  );
}

function isSecretKey(words: readonly string[]): boolean {
  const index = words.findLastIndex((word) => word === "key" || word === "keys");
  const owner = words[index - 1];
  if (index === -1 || owner === undefined || words.includes("public")) return false;
  const rest = words.slice(index + 1);
  const isNaming = rest.some((word) =>
    /^(?:names?|ids?|type|fingerprint|pair|pairs|size|length|version)$/.test(word),
  );
  const isSshList = owner === "ssh" && words[index] === "keys";
  return keyOwners.has(owner) && !isNaming && !isSshList;
}

/** `userDataURL2` to `user data url2`. */
function splitWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

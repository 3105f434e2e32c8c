import { t } from "@vscode/l10n";
import { inertText } from "../../kernel/foreignText.ts";
import { shortList } from "../../kernel/formatTime.ts";
import { mask } from "../secretMask.ts";
import { recordFields } from "../details/recordFields.ts";

const mostKeys = 4;
const longestName = 80;

/** The fingerprint of the new key in the words of `ssh`; undefined without one. */
export function fingerprintIn(errors: string): string | undefined {
  return /\bSHA256:[A-Za-z0-9+/]{43}/.exec(errors)?.[0];
}

/** The command with which `ssh` proposes to remove the key that it knows; undefined without one. */
export function removalIn(errors: string): string | undefined {
  return /^ {0,8}(ssh-keygen -f "[^"\n]{1,400}" -R "[^"\n]{1,300}")\r?$/m.exec(errors)?.[1];
}

/** A key as `ssh-keygen -l` and `ssh-add -l` print it: `id_ed25519 (ED25519 SHA256:…)`. Undefined for other text. */
export function keyText(line: string, name?: string): string | undefined {
  const [, fingerprint, comment = "", type = ""] =
    /^\d{2,5} (SHA256:[A-Za-z0-9+/]{43}) (.{0,200}?) ?\(([\w-]{1,20})\)$/.exec(line.trim()) ?? [];
  if (fingerprint === undefined) return undefined;
  return `${inertText(name ?? comment, longestName)} (${type} ${fingerprint})`;
}

/** What was offered to a server that refused it. */
export function offeredKeysText(keys: readonly string[]): string {
  if (keys.length === 0)
    return t("No SSH key was found on this machine, neither in a file nor in the SSH agent.");
  return t("Keys offered: {0}.", shortList(keys, mostKeys, String));
}

const keyFields =
  /\/(?:[a-z_]*ssh_?(?:public_?)?keys?|[a-z_]*public_?keys?|[a-z_]*key_?pair|[a-z_]*key_?name)[^/]*(?:\/|$)/i;
const fingerprintField = /finger_?print/i;

/** What the record says about the key of the account, such as its name; empty if it says nothing. */
export function recordKeyText(record: unknown): string {
  const known = recordFields(record)
    .filter(
      ({ pointer }) => keyFields.test(pointer) || (fingerprintField.test(pointer) && /key/i.test(pointer)),
    )
    .filter(({ pointer }) => /name|finger_?print|(?:keys?|key_?pair|keys\/\d+)$/i.test(pointer));
  const values = new Set(
    known.map(({ value }) => shownKey(value)).filter((value) => value !== "" && value !== mask),
  );
  return values.size === 0
    ? ""
    : t("According to its record, the server accepts: {0}.", [...values].slice(0, mostKeys).join(", "));
}

/** A public key is shown by its comment. */
function shownKey(value: string): string {
  const [type = "", , ...comment] = value.split(" ", 5);
  const isKey = /^(?:ssh|ecdsa|sk)-/.test(type) && value.includes(" ");
  return inertText(isKey ? comment.join(" ") : value, longestName).trim();
}

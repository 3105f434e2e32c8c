import { findForms, isCommandSecret } from "./commandSecrets.ts";
import type { SecretForm } from "./commandSecrets.ts";
import { secretName } from "./secretNames.ts";
import type { Scrutiny, SecretSpan } from "./secretValue.ts";
import {
  isCode,
  isPassword,
  isPlaceholder,
  isRandom,
  isStrongRun,
  isUnmistakable,
  withoutTail,
} from "./secretValue.ts";

/** Rows of a table whose header names a secret: Markdown, CSV or tabs. */
export function findSecretsInTables(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  let columns: readonly number[] = [];
  let separator = "";
  for (const line of text.split("\n")) {
    const at = from;
    from += line.length + 1;
    const sign = separatorOf(line);
    if (sign === undefined || (columns.length > 0 && sign !== separator)) {
      columns = [];
      continue;
    }
    const cells = cellsOf(line, sign);
    if (columns.length === 0) {
      separator = sign;
      // In code, names are separated by commas, too, so a comma-separated header counts only without spaces and quotes,
      // as programs write it.
      const isTable = sign === "|" || sign === "\t" || /^[\w-]+(?:[,;][\w-]+)+\r?$/.test(line);
      columns = isTable ? headOf(cells.map(({ text: cell }) => cell)) : [];
      continue;
    }
    for (const column of columns) {
      const cell = cells[column];
      if (cell !== undefined && isCellSecret(cell.text))
        spans.push({ kind: "table", start: at + cell.start, end: at + cell.start + cell.text.length });
    }
  }
  return spans;
}

function separatorOf(line: string): string | undefined {
  if (line.length < 5 || line.length > 2_000) return undefined;
  return ["|", "\t", ";", ","].find((sign) => line.includes(sign));
}

interface Cell {
  readonly text: string;
  readonly start: number;
}

function cellsOf(line: string, separator: string): readonly Cell[] {
  let at = 0;
  return line.split(separator).map((part) => {
    const inner = part.replace(/^[\s"'`*]{1,20}/, "");
    const start = at + part.length - inner.length;
    at += part.length + 1;
    return { text: withoutTail(inner, " \t\r\"'`*"), start };
  });
}

/** The columns that hold secrets, provided that every cell is a plain column name. */
function headOf(cells: readonly string[]): readonly number[] {
  const names = cells.filter((cell) => cell !== "");
  if (names.length < 2 || !names.every((name) => /^[\p{L}_][\p{L}\d_ ()-]{0,30}$/u.test(name))) return [];
  return cells.flatMap((name, index) => (secretName(name) === "secret" ? [index] : []));
}

function isCellSecret(cell: string): boolean {
  if (cell.length < 6 || /\s/.test(cell) || isPlaceholder(cell) || isCode(cell)) return false;
  return (isPassword(cell) && /\d/.test(cell)) || isRandom(cell, 12);
}

/** Ways in which databases and their programs write a password. */
const statements: readonly SecretForm[] = [
  {
    kind: "password in SQL",
    pattern:
      /\b(?:IDENTIFIED(?: WITH [\w'"]{1,40})?[ \t]{1,4}(?:BY|AS)(?:[ \t]{1,4}PASSWORD)?|(?:ENCRYPTED[ \t]{1,4})?PASSWORD)[ \t]{1,4}(?:=[ \t]{0,4})?N?["']([^"'\n]{4,200})/gi,
    isSure: true,
  },
  {
    kind: "password in .pgpass",
    pattern:
      /(?:^|[\n"'`])[ \t]{0,8}[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:([^\s:"'`]{4,200})(?=[\s"'`]|$)/g,
    isSure: true,
  },
  {
    kind: "password in a state of Terraform",
    pattern: /"random_password"[^]{0,1000}?"result"\s{0,4}:\s{0,4}"((?:[^"\\\n]|\\.){4,200})/g,
    isSure: true,
  },
  {
    kind: "password of Oracle",
    pattern:
      /\b(?:sqlplus|sqlldr|rman|expdp|impdp|tnsping|sqlcl)\b[^\n]{0,80}?[ \t]["']?\w{1,30}\/([^\s\/@"']{4,100})@/g,
    isSure: true,
  },
  {
    kind: "password of Oracle",
    pattern: /\bjdbc:oracle:\w{1,10}:\w{1,30}\/([^\s\/@"']{4,100})@/g,
    isSure: true,
  },
  {
    kind: "key of a database",
    pattern:
      /\b(?:ATTACH|PRAGMA|OPEN|CREATE)\b[^\n;]{0,200}?\b(?:[Kk][Ee][Yy]|SECRET)[ \t]{0,3}[= (]?[ \t]{0,3}['"]([^'"\n]{6,200})/g,
  },
];

/** Passwords in statements and addresses of databases. */
export function findDatabaseSecrets(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...findForms(statements, text, scrutiny), ...findInsertedSecrets(text)];
}

/** `INSERT INTO users (name, password) VALUES ('root', '…')`: the name is in one list and its value in another. */
const insert =
  /\bINTO\s{1,4}[\w."`[\]]{1,100}\s{0,4}\(([^()]{1,600})\)\s{0,20}VALUES\s{0,20}\(((?:[^()'"]|'[^'\n]{0,300}'|"[^"\n]{0,300}"){1,2000})/gi;

/** Values of `INSERT` statements whose columns are secret. */
function findInsertedSecrets(text: string): readonly SecretSpan[] {
  return [...text.matchAll(insert)].flatMap((match) => {
    const [whole, names = "", values = ""] = match;
    const columns = names.split(",").map((name) => secretName(name.replace(/[\s"`[\]]/g, "")) === "secret");
    const from = match.index + whole.length - values.length;
    return [...values.matchAll(/'([^'\n]*)'|"([^"\n]*)"|[^,\s'"]{1,300}/g)].flatMap((cell, column) => {
      const value = cell[1] ?? cell[2];
      if (columns[column] !== true || value === undefined || value.length < 4 || isPlaceholder(value))
        return [];
      const start = from + cell.index + 1;
      return [{ kind: "password in SQL", start, end: start + value.length }];
    });
  });
}

/**
 * A map or a section that holds secrets by names of its own: `SECRETS = {"db": "…"}`, `[credentials]`, `passwords:`.
 */
const section =
  /(?:^|[\n\s"'.{(_[-])(?:secrets?|passwords?|passwds?|pwds|credentials?|creds|api[-_]?keys|tokens|logins)["'\])]{0,2}[ \t]{0,4}(?:(?:=>|:=|[:=])[ \t]{0,4}(?:[\w.<>[\], ]{1,40})?\{|:[ \t]{0,4}\r?\n|\r?\n)/gi;
const sectionValue =
  /(?<=^|[\n{,])[ \t\n]{0,40}(?:- )?["']?([\w.@-]{1,60})["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}(?:"([^"\n]{6,200})"|'([^'\n]{6,200})'|([^\s"'{}[\](),]{6,200}))/g;
/** UTF-16 units of a section that are looked at. */
const longestSection = 1_000;

/** Values in maps and sections whose name says that they hold secrets. */
export function findSecretSections(text: string): readonly SecretSpan[] {
  let done = 0;
  return [...text.matchAll(section)].flatMap((match) => {
    const from = match.index + match[0].length;
    if (from < done) return [];
    const body = text.slice(from, from + longestSection);
    // It ends with its bracket, an empty line or the head of the next one.
    const end = body.search(
      match[0].trimEnd().endsWith("{") ? /\}/ : /\n[ \t]{0,8}(?:\r?\n|\[)|\n\S[^\n]*:[ \t]{0,4}\n/,
    );
    done = from + (end === -1 ? body.length : end);
    return [...text.slice(from, done).matchAll(sectionValue)].flatMap((found) => {
      const value = found[2] ?? found[3] ?? found[4] ?? "";
      if (isCode(value) || !(isUnmistakable(value) || isStrongRun(value))) return [];
      const start = from + found.index + found[0].lastIndexOf(value);
      return [{ kind: found[1] ?? "secret", start, end: start + value.length }];
    });
  });
}

/** `{"value": "…", "name": "API_TOKEN"}`, `SET value = '…' WHERE name = 'api_token'`. */
const valueFirst =
  /["']?\bvalue["']?\s{0,4}[:=]\s{0,4}["']([^"'\n]{1,4000})["'](?:\s{0,4},\s{0,40}|\s{1,4}WHERE\s{1,4})["'`]?(?:name|key|option_name|setting)["'`]?\s{0,4}[:=]\s{0,4}["']([\w.-]{1,100})["']/gi;

/** Values that precede the names that mark them as secret. */
export function findValuesBeforeNames(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...text.matchAll(valueFirst)].flatMap((match) => {
    const [whole, value = "", name = ""] = match;
    if (secretName(name) !== "secret" || !isCommandSecret(value, scrutiny === "strict", scrutiny)) return [];
    const start = match.index + whole.indexOf(value, 5);
    return [{ kind: name, start, end: start + value.length }];
  });
}

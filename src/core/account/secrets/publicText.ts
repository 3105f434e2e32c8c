import type { SecretSpan } from "./secretValue.ts";

/** Public keys and certificates in PEM, also within a string with `\n`. */
const pem =
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}(?:PUBLIC KEY|CERTIFICATE)(?: BLOCK| REQUEST)?-----(?:[\w+/=\s"'`,;:.>|#*]|\\[nrt]){0,20000}-----END /g;
/** What everyone may see of services and clouds: keys for pages, checksums, sizes of machines. */
const formats: readonly RegExp[] = [
  /\b(?:pk_(?:live|test)_|sb_publishable_|phc_|pk\.eyJ|age1)[\w.-]{10,300}/g,
  /(?<![\w-])(?:6L[\w-]{38}|0x4AAA[\w-]{12,40})(?![\w-])/g,
  /\b(?:sha\d{1,3}|md5|blake[23]\w{0,2})[-:][\w+/]{20,150}={0,2}/gi,
  /\b(?:ssh-[\w-]{2,12}|ecdsa-[\w-]{4,20}|sk-ssh-[\w@.-]{4,30}) [\w+/]{20,4000}={0,2}/g,
  /\b(?:Standard|Basic)_[A-Z]{1,3}\d{1,3}[a-z]{0,6}(?:_[A-Za-z0-9]{1,12}){0,3}\b/g,
];
/** Cookies that count visits, balance load or store what a visitor agreed to. They grant no access. */
const cookies =
  /(?<![\w-])(?:_ga|_gid|_gcl|_fbp|_fbc|_hj|_uet|_pk_|_cl[cs]k|ajs_|mp_|__utm|optanon|awsalb|arraffinity)[\w.-]{0,60}=[^\s;"'`]{1,2000}/gi;
/** Names of values that are shared, such as `publicKey`, `site-key` and WireGuard's `peer`. */
const names =
  /(?:public|publishable|site|verify|verification|cache|application_?server)[-_ ]?keys?(?![a-z])|\bpeer\b/gi;
const value = /^[^\n;]{0,60}?(?<![\w+/=~.-])([\w+/=~.-]{20,400})/;
const secretWords = /private|secret|token|pass|pwd|credential|preshared|psk/i;

/** The spans without those that lie in what everyone may see. */
export function withoutPublic(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length === 0) return spans;
  const ranges = [pem, cookies, ...formats].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({ start: index, end: index + length })),
  );
  for (const { 0: name, index } of text.matchAll(names)) {
    const from = index + name.length;
    const [whole = "", found = ""] = value.exec(text.slice(from, from + 500)) ?? [];
    const end = from + whole.length;
    if (found !== "" && !secretWords.test(whole.slice(0, -found.length)))
      ranges.push({ start: end - found.length, end });
  }
  ranges.sort((left, right) => left.start - right.start);
  let next = 0;
  return spans
    .toSorted((left, right) => left.start - right.start)
    .filter((span) => {
      while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= span.start) next++;
      const range = ranges[next];
      return range === undefined || span.start < range.start || span.end > range.end;
    });
}

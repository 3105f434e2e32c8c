import type { SecretSpan, Scrutiny } from "./secretValue.ts";
import { entropy } from "./secretValue.ts";

interface KeyFormat {
  readonly kind: string;
  /** Regular expressions for the start of the format. */
  readonly heads: readonly string[];
  /** What follows one of the heads. */
  readonly tail: string;
}

/** The key formats of vendors, recognized anywhere in a text. Repetitions are bounded by the window of a scan. */
const formats: readonly KeyFormat[] = [
  { kind: "GitHub token", heads: ["gh[opusr]_", "github_pat_"], tail: "[\\w-]{20,}" },
  {
    kind: "GitLab token",
    heads: ["gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|wt|oas|ffct)-", "GR1348941"],
    tail: "[\\w.-]{16,}",
  },
  { kind: "Atlassian token", heads: ["AT[AC]TT3xFf", "ATBB", "BBDC-"], tail: "[\\w+/=-]{20,}" },
  { kind: "npm token", heads: ["npm_"], tail: "[A-Za-z0-9]{30,}" },
  { kind: "PyPI token", heads: ["pypi-"], tail: "[\\w-]{16,}" },
  {
    kind: "package registry key",
    heads: ["rubygems_", "oy2(?=[a-z0-9]{43})", "cio(?=[A-Za-z0-9]{32})", "dckr_[po]at_", "AKCp"],
    tail: "[\\w-]{10,}",
  },
  { kind: "Anthropic key", heads: ["sk-ant-"], tail: "[\\w-]{16,}" },
  {
    kind: "OpenAI key",
    heads: ["sk-(?:proj|svcacct|admin|None)-", "sess-(?=[A-Za-z0-9]{40})"],
    tail: "[\\w-]{16,}",
  },
  {
    kind: "API key",
    heads: ["sk-(?:or-v1|or|lf|kimi|ws|user|live|test)?-?(?=[A-Za-z0-9-]{0,20}[0-9])"],
    tail: "[A-Za-z0-9_]{16,}",
  },
  { kind: "Hugging Face token", heads: ["hf_", "api_org_"], tail: "[A-Za-z0-9]{16,}" },
  {
    kind: "model service key",
    heads: [
      "gsk_",
      "r8_",
      "xai-",
      "pplx-",
      "nvapi-",
      "fw_",
      "tgp_v1_",
      "csk-",
      "jina_",
      "rpa_",
      "pcsk_",
      "lsv2_[ps][kt]_",
      "esecret_",
      "wandb_v1_",
      "tvly-(?:dev-)?",
      "fc-(?=[0-9a-f]{32})",
      "pa-(?=[A-Za-z0-9_-]{40})",
      "ms-(?=[0-9a-f-]{36})",
      "apify_api_",
      "exa_",
    ],
    tail: "[\\w-]{16,}",
  },
  {
    kind: "Stripe key",
    heads: ["[sr]k_(?:live|test|prod)_", "whsec_"],
    tail: "[A-Za-z0-9+/=]{10,}",
  },
  { kind: "ElevenLabs key", heads: ["sk_(?=[0-9a-f]{40})"], tail: "[0-9a-f]{40,}" },
  {
    kind: "Square token",
    heads: ["sq0(?:atp|csp|idp)-", "(?<![+/=])EAAA(?=[\\w-]{56})"],
    tail: "[\\w-]{20,}",
  },
  {
    kind: "PayPal token",
    heads: ["access_token\\$(?:production|sandbox)\\$", "E[A-P](?=[\\w-]{76,80}(?![\\w-]))", "A21AA"],
    tail: "[\\w$-]{24,}",
  },
  { kind: "Twilio key", heads: ["SK(?=[0-9a-f]{32}(?![0-9a-f]))"], tail: "[0-9a-f]{32}" },
  { kind: "SendGrid key", heads: ["SG\\."], tail: "[\\w-]{16,}\\.[\\w-]{16,}" },
  {
    kind: "mail service key",
    heads: [
      "key-(?=[0-9a-f]{32})",
      "xkeysib-",
      "xsmtpsib-",
      "re_(?=[A-Za-z0-9]{8}_)",
      "[0-9a-f]{32}(?=-us[0-9]{1,2}(?![0-9]))",
      "md-(?=[A-Za-z0-9_-]{22})",
    ],
    tail: "[\\w-]{3,}",
  },
  {
    kind: "Slack token",
    heads: ["xox[abdeoprs]-", "xoxe\\.xox[bp]-", "xapp-"],
    tail: "[\\w-]{10,}",
  },
  { kind: "Discord token", heads: ["[MNO][A-Za-z\\d_-]{23,28}\\.[\\w-]{6}\\."], tail: "[\\w-]{27,}" },
  { kind: "Telegram token", heads: ["\\d{8,10}:AA"], tail: "[\\w-]{32,}" },
  { kind: "AWS key", heads: ["A(?:KIA|SIA|BIA|CCA)(?=[A-Z0-9]{16})"], tail: "[A-Z0-9]{16}" },
  {
    kind: "cloud access key",
    heads: [
      "LTAI(?=[A-Za-z0-9]*[0-9])",
      "AKID(?=[A-Za-z0-9]*[0-9])",
      "AKLT(?=[A-Za-z0-9]*[0-9])",
      "SCW(?=[A-Z0-9]{17}(?![A-Z0-9]))",
      "JDC_(?=[A-Z0-9]{28})",
      "HPUA(?=[A-Z0-9]{16})",
    ],
    tail: "[A-Za-z0-9]{12,}",
  },
  {
    kind: "Google key",
    heads: ["AIza", "ya29\\.", "GOCSPX-", "1//0", "GOOG(?=[A-Z0-9]{20})"],
    tail: "[\\w.-]{20,}",
  },
  { kind: "Azure secret", heads: ["[\\w~.]{3}[78]Q~", "AZDO"], tail: "[\\w~.-]{30,}" },
  { kind: "DigitalOcean token", heads: ["do[opr]_v1_"], tail: "[0-9a-f]{20,}" },
  {
    kind: "platform token",
    heads: [
      "HRKU-",
      "fm[12]_",
      "fo1_",
      "nf[pcoub]_",
      "rnd_",
      "sbp_",
      "sb_secret_",
      "pscale_(?:tkn|pw|oauth)_",
      "napi_(?=[A-Za-z0-9]{40})",
      "vc[a-z]_(?=[A-Za-z0-9]{24})",
      "tskey-[a-z]+-",
      "pul-",
      "CCIPAT_",
      "bk[uat]a_",
      "sq[apu]_",
      "exp_(?=[A-Za-z0-9]{40})",
      "PRIVATE-",
      "cfut_",
      "cfat_",
      "v1\\.0-(?=[0-9a-f]{24}-)",
      "railway_",
      "scw-secret-",
      "hcloud_",
    ],
    tail: "[\\w-]{16,}",
  },
  {
    kind: "Vault token",
    heads: [
      "hv[sbr]\\.",
      "dp\\.(?:st|pt|ct|sa|scim|audit)\\.(?:[\\w-]{1,30}\\.)?",
      "[A-Za-z0-9]{14}\\.atlasv1\\.",
    ],
    tail: "[\\w-]{20,}",
  },
  { kind: "Databricks token", heads: ["dapi(?=[0-9a-f]{32})"], tail: "[0-9a-f-]{32,}" },
  {
    kind: "monitoring key",
    heads: ["glsa_", "glc_", "NR(?:AK|JS|II|RA|BR)-", "sntry[su]_", "dd(?:a|p)_", "phx_", "phs_"],
    tail: "[\\w+/=-]{16,}",
  },
  {
    kind: "service key",
    heads: [
      "PMAK-",
      "fig[dou]_",
      "ntn_",
      "secret_(?=[A-Za-z0-9]{43})",
      "lin_(?:api|oauth)_",
      "shp(?:at|ca|pa|ss)_",
      "pat-[a-z]{2}[0-9]-",
      "ops_eyJ",
      "dG9rOi?",
      "lip_",
      "ory_[a-z]{2}_",
      "ctx7sk-",
    ],
    tail: "[\\w+/=-]{16,}",
  },
  { kind: "Airtable token", heads: ["pat[A-Za-z0-9]{14}\\."], tail: "[0-9a-f]{40,}" },
  { kind: "Mapbox token", heads: ["sk\\.eyJ"], tail: "[\\w-]{10,}\\.[\\w-]{10,}" },
  { kind: "Facebook token", heads: ["(?<![+/=])EAA(?=[A-Za-z0-9]{80})"], tail: "[A-Za-z0-9]{80,}" },
  { kind: "X token", heads: ["AAAAAAAAAAAAAAAAAAAAA(?=[%\\w]{20})"], tail: "[%\\w]{20,}" },
  { kind: "Dropbox token", heads: ["sl\\.(?:u\\.)?(?=[\\w-]{60})"], tail: "[\\w-]{60,}" },
  {
    kind: "password hash",
    heads: [
      "\\$2[abxy]\\$\\d\\d\\$(?=[\\w./]{53})",
      "\\$[156]\\$(?:rounds=\\d{1,9}\\$)?[\\w./]{1,16}\\$",
      "\\$y\\$[\\w./]{1,20}\\$[\\w./]{1,86}\\$",
      "\\$argon2id?\\$[^\\s$]{1,20}\\$[^\\s$]{1,60}\\$[\\w+/]{10,100}\\$",
    ],
    tail: "[\\w./+]{22,}",
  },
  { kind: "age key", heads: ["AGE-SECRET-KEY-1", "AGE-PLUGIN-[A-Z0-9]{1,20}-1"], tail: "[A-Z0-9]{20,}" },
  // A match can't start inside a run of the letters that the head begins with, because each letter would start another
  // pass over the run.
  { kind: "JSON web token", heads: ["(?<!-)eyJ"], tail: "[\\w-]{8,}\\.[\\w-]{4,}(?:\\.[\\w-]*){0,3}" },
];

let patterns: readonly { readonly kind: string; readonly pattern: RegExp }[] | undefined;

/**
 * One expression for each format, because an engine finds the first letters of its heads fast. Created on first use, so
 * that a bundle that never looks for secrets can leave all of this out.
 */
function formatPatterns(): NonNullable<typeof patterns> {
  patterns ??= formats.map(({ kind, heads, tail }) => ({
    kind,
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9_])(?:${heads.join("|")})${tail}`, "g"),
  }));
  return patterns;
}

/** Shapes that may be words in code but are redacted in anything shown or logged. */
const loose: readonly RegExp[] = [
  /\bsk-[\w-]{8,}/g,
  /\b(?:pk|rk|ak|sk|xai|gsk|hf|nvapi|rpa|r8|dop_v1|pat|glpat|gh[opusr]|github_pat|npm|pypi)[-_](?:[a-z0-9]{1,8}[-_]){0,3}[A-Za-z0-9]{16,}[\w-]*/g,
  /\b(?:AKIA|ASIA|LTAI|AKID)[A-Za-z0-9]{12,}/g,
  /\bAIza[\w-]{30,}/g,
];

/** Keys that are recognized by their format. */
export function findKeyFormats(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  const spans = formatPatterns().flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(([key]) => !isDummy(key))
      .map(({ 0: key, index }) => ({ kind, start: index, end: index + key.length })),
  );
  if (scrutiny === "careful") return spans;
  const others = loose.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: key, index }) => ({
      kind: "key",
      start: index,
      end: index + key.length,
    })),
  );
  return [...spans, ...others];
}

/** Placeholders such as `ghp_xxxxxxxxxxxxxxxxxxxx` and `hf_your_token_goes_here`. */
function isDummy(key: string): boolean {
  if (/x{6,}|X{6,}|0{12,}|\.{3}|your[-_]|_here\b|placeholder/i.test(key)) return true;
  return !/\d/.test(key.slice(3)) ? !/[a-z][A-Z]|[A-Z][a-z]/.test(key.slice(4)) : entropy(key) < 2.6;
}

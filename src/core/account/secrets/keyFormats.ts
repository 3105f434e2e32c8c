import type { SecretSpan, Scrutiny } from "./secretValue.ts";
import { entropy } from "./secretValue.ts";

/**
 * The key formats of vendors, recognized anywhere in a text: the kind, what follows the start of a key, and the starts,
 * which are regular expressions separated by spaces. Repetitions are bounded by the window of a scan.
 */
const formats: readonly (readonly [kind: string, tail: RegExp, heads: string])[] = [
  ["GitHub token", /[\w-]{20,}/, "gh[opusr]_ github_pat_"],
  ["GitLab token", /[\w.-]{16,}/, "gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|wt|oas|ffct)- GR1348941"],
  ["Atlassian token", /[\w+/=-]{20,}/, "AT[AC]TT3xFf ATBB BBDC-"],
  ["npm token", /[A-Za-z0-9]{30,}/, "npm_"],
  ["PyPI token", /[\w-]{16,}/, "pypi-"],
  [
    "package registry key",
    /[\w-]{10,}/,
    "rubygems_ oy2(?=[a-z0-9]{43}) cio(?=[A-Za-z0-9]{32}) dckr_[po]at_ AKCp",
  ],
  ["Anthropic key", /[\w-]{16,}/, "sk-ant-"],
  ["OpenAI key", /[\w-]{16,}/, "sk-(?:proj|svcacct|admin|None)- sess-(?=[A-Za-z0-9]{40})"],
  ["API key", /[A-Za-z0-9_]{16,}/, "sk-(?:or-v1|or|lf|kimi|ws|user|live|test)?-?(?=[A-Za-z0-9-]{0,20}[0-9])"],
  ["Hugging Face token", /[A-Za-z0-9]{16,}/, "hf_ api_org_"],
  [
    "model service key",
    /[\w-]{16,}/,
    "gsk_ r8_ xai- pplx- nvapi- fw_ tgp_v1_ csk- jina_ rpa_ pcsk_ lsv2_[ps][kt]_ esecret_ wandb_v1_ tvly-(?:dev-)? fc-(?=[0-9a-f]{32}) pa-(?=[A-Za-z0-9_-]{40}) ms-(?=[0-9a-f-]{36}) apify_api_ exa_",
  ],
  ["Stripe key", /[A-Za-z0-9+/=]{10,}/, "[sr]k_(?:live|test|prod)_ whsec_"],
  ["ElevenLabs key", /[0-9a-f]{40,}/, "sk_(?=[0-9a-f]{40})"],
  ["Square token", /[\w-]{20,}/, String.raw`sq0(?:atp|csp|idp)- (?<![+/=])EAAA(?=[\w-]{56})`],
  [
    "PayPal token",
    /[\w$-]{24,}/,
    String.raw`access_token\$(?:production|sandbox)\$ E[A-P](?=[\w-]{76,80}(?![\w-])) A21AA`,
  ],
  ["Twilio key", /[0-9a-f]{32}/, "SK(?=[0-9a-f]{32}(?![0-9a-f]))"],
  ["SendGrid key", /[\w-]{16,}/, String.raw`SG\.[\w-]{16,}\.`],
  [
    "mail service key",
    /[\w-]{3,}/,
    "key-(?=[0-9a-f]{32}) xkeysib- xsmtpsib- re_(?=[A-Za-z0-9]{8}_) [0-9a-f]{32}(?=-us[0-9]{1,2}(?![0-9])) md-(?=[A-Za-z0-9_-]{22})",
  ],
  ["Slack token", /[\w-]{10,}/, String.raw`xox[abdeoprs]- xoxe\.xox[bp]- xapp-`],
  ["Discord token", /[\w-]{27,}/, String.raw`[MNO][A-Za-z\d_-]{23,28}\.[\w-]{6}\.`],
  ["Telegram token", /[\w-]{32,}/, String.raw`\d{8,10}:AA`],
  ["AWS key", /[A-Z0-9]{16}/, "A(?:KIA|SIA|BIA|CCA)(?=[A-Z0-9]{16})"],
  [
    "cloud access key",
    /[A-Za-z0-9]{12,}/,
    "LTAI(?=[A-Za-z0-9]*[0-9]) AKID(?=[A-Za-z0-9]*[0-9]) AKLT(?=[A-Za-z0-9]*[0-9]) SCW(?=[A-Z0-9]{17}(?![A-Z0-9])) JDC_(?=[A-Z0-9]{28}) HPUA(?=[A-Z0-9]{16})",
  ],
  ["Google key", /[\w.-]{20,}/, String.raw`AIza ya29\. GOCSPX- 1//0 GOOG(?=[A-Z0-9]{20})`],
  ["Azure secret", /[\w~.-]{30,}/, String.raw`[\w~.]{3}[78]Q~ AZDO`],
  ["DigitalOcean token", /[0-9a-f]{20,}/, "do[opr]_v1_"],
  [
    "platform token",
    /[\w-]{16,}/,
    String.raw`HRKU- fm[12]_ fo1_ nf[pcoub]_ rnd_ sbp_ sb_secret_ pscale_(?:tkn|pw|oauth)_ napi_(?=[A-Za-z0-9]{40}) vc[a-z]_(?=[A-Za-z0-9]{24}) tskey-[a-z]+- pul- CCIPAT_ bk[uat]a_ sq[apu]_ exp_(?=[A-Za-z0-9]{40}) PRIVATE- cfut_ cfat_ v1\.0-(?=[0-9a-f]{24}-) railway_ scw-secret- hcloud_`,
  ],
  [
    "Vault token",
    /[\w-]{20,}/,
    String.raw`hv[sbr]\. dp\.(?:st|pt|ct|sa|scim|audit)\.(?:[\w-]{1,30}\.)? [A-Za-z0-9]{14}\.atlasv1\.`,
  ],
  ["Databricks token", /[0-9a-f-]{32,}/, "dapi(?=[0-9a-f]{32})"],
  ["monitoring key", /[\w+/=-]{16,}/, "glsa_ glc_ NR(?:AK|JS|II|RA|BR)- sntry[su]_ dd(?:a|p)_ phx_ phs_"],
  [
    "service key",
    /[\w+/=-]{16,}/,
    "PMAK- fig[dou]_ ntn_ secret_(?=[A-Za-z0-9]{43}) lin_(?:api|oauth)_ shp(?:at|ca|pa|ss)_ pat-[a-z]{2}[0-9]- ops_eyJ dG9rOi? lip_ ory_[a-z]{2}_ ctx7sk-",
  ],
  ["Airtable token", /[0-9a-f]{40,}/, String.raw`pat[A-Za-z0-9]{14}\.`],
  ["Mapbox token", /[\w-]{10,}/, String.raw`sk\.eyJ[\w-]{10,}\.`],
  ["Facebook token", /[A-Za-z0-9]{80,}/, "(?<![+/=])EAA(?=[A-Za-z0-9]{80})"],
  ["X token", /[%\w]{20,}/, String.raw`AAAAAAAAAAAAAAAAAAAAA(?=[%\w]{20})`],
  ["Dropbox token", /[\w-]{60,}/, String.raw`sl\.(?:u\.)?(?=[\w-]{60})`],
  [
    "password hash",
    /[\w./+]{22,}/,
    String.raw`\$2[abxy]\$\d\d\$(?=[\w./]{53}) \$[156]\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$ \$y\$[\w./]{1,20}\$[\w./]{1,86}\$ \$argon2id?\$[^\s$]{1,20}\$[^\s$]{1,60}\$[\w+/]{10,100}\$`,
  ],
  ["age key", /[A-Z0-9]{20,}/, "AGE-SECRET-KEY-1 AGE-PLUGIN-[A-Z0-9]{1,20}-1"],
  ["JSON web token", /[\w-]{4,}(?:\.[\w-]*){0,3}/, String.raw`(?<!-)eyJ[\w-]{8,}\.`],
];

let patterns: readonly { readonly kind: string; readonly pattern: RegExp }[] | undefined;

/** One expression for each format, because an engine finds the first letters of its heads fast. */
function formatPatterns(): NonNullable<typeof patterns> {
  patterns ??= formats.map(([kind, tail, heads]) => ({
    kind,
    pattern: new RegExp(`(?<![A-Za-z0-9_])(?:${heads.split(" ").join("|")})${tail.source}`, "g"),
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

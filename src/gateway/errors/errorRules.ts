import type { ErrorReason } from "../../core/kernel/errors.ts";

/** A server's description of an error, besides its status. */
interface ErrorWords {
  readonly kind: "inference" | "gateway";
  readonly statusCode: number;
  /** The error message; empty if there is none. */
  readonly words: string;
  /** Anything in the form of a code. */
  readonly codes: readonly string[];
}

/** How a kind of failure is recognized, regardless of its status. */
interface Rule {
  readonly reason: ErrorReason;
  /** Matches any of the codes, which are compared in lower case without hyphens, underscores and dots. */
  readonly codes?: RegExp;
  readonly words?: RegExp;
  /** Statuses for which the message is checked; all if absent. */
  readonly statuses?: (statusCode: number) => boolean;
  /** For a GPU gateway, only the status counts in these cases. */
  readonly isInferenceOnly?: true;
}

/** The first matching rule decides. */
const rules: readonly Rule[] = [
  // AWS responds with this for an unknown path, whatever the credential is.
  { reason: "notFound", words: /^missing authentication token$/i, statuses: (status) => status === 403 },
  {
    reason: "contextLength",
    isInferenceOnly: true,
    codes:
      /contextlengthexceeded|contextwindowexceeded|exceedcontextsize|contextlimit|contexttoolong|prompttoolong|inputtoolong|stringabovemaxlength|tokenslimitreached|modelmaxtokens|^1261$|^3051$|^20015$/,
    words:
      /\bcontext[ _-]?(?:length|window|size|limit)\b|\bn_ctx\b|\bmax_seq_len\b|model token limit|maximum model length|\b(?:prompt|input|inputs|messages?|conversation|request)\b[`'"]?(?: \w+){0,3} (?:is|are|was) too (?:long|large)(?! for the free)|too large for model|request too large for|\b(?:reduce|shorten)\b.{0,40}\b(?:length|size|number of tokens|messages|prompt|input)\b|input (?:token )?(?:length|count).{0,40}(?:exceed|should be|must be|too)|token count.{0,30}exceeds|`?inputs`?.{0,60}(?:must (?:be|have)|less than).{0,30}(?:<=|tokens)|exceeds? (?:the )?(?:model'?s? )?max(?:imum)? (?:number of )?(?:input |context )?(?:tokens|length)|exceeds? max(?:imum)? (?:\w+ ){0,2}tokens|max size: \d+ tokens|上下文.{0,10}(?:超|过长)|输入.{0,6}过长|prompt ?超长|超(?:过|出).{0,12}(?:最大|上下文|token)/i,
    statuses: (status) => status !== 401 && status !== 402,
  },
  {
    reason: "contentFilter",
    isInferenceOnly: true,
    codes:
      /contentfilter|contentpolicy|responsibleai|datainspectionfailed|sensitivecontent|contentmoderation|moderationblocked|censorship|prohibitedcontent|safetyblock|^safety$|invalidprompt|^1301$/,
    words:
      /content (?:management |filtering |usage )?(?:policy|filter)|content exists risk|\bflagged\b|moderation\b|safety (?:system|filter|polic|setting|reason)|(?:inappropriate|sensitive|prohibited|unsafe|harmful) (?:content|material)|considered high risk|usage policies|violat\w{1,4} (?:our|the) .{0,30}polic|new_sensitive|敏感|违规|不安全|内容安全/i,
    statuses: (status) => status !== 401 && status !== 429,
  },
  {
    reason: "payment",
    codes:
      /insufficient(?:user)?(?:quota|balance|credits?|funds)|paymentrequired|billing|arrear|overdue|notenough(?:balance|credits?|funds)|creditlimit|(?:out|lack)of(?:credits?|balance)|creditsexhausted|exceededcurrentquota|budgetexceeded|spend(?:ing)?limit|freetieronly|resourcepackexhausted|balancenotenough|quotaexhausted|accountsuspended|carddeclined|^1113$|^30001$/,
    words:
      /\b(?:insufficient|not enough|no|low|negative|zero|out of|used up|used all|exhausted|exceeded|lack|missing|more|any)\b.{0,40}\b(?:balance|credits?|funds|payment method|neurons)\b|\b(?:balance|credits?|funds)\b.{0,40}\b(?:insufficient|too low|not enough|exhausted|depleted|used up|expired|ran out|overdue|negative|zero|required)\b|credit limit|\bexceeded your current quota\b|\btop[- ]?up\b|\brecharge\b|\b(?:purchase|add|buy)(?: more)? (?:credits?|funds)\b|payment (?:method|required)|\bpast (?:due )?invoices?\b|billing (?:hard )?limit|(?:account|subscription).{0,40}billing|enable billing|billing (?:to be|is not|must be) |spending limit|budget has been exceeded|exceeded.{0,20}budget|overdue|\barrears?\b|\bunpaid\b|good standing|subscription (?:has )?(?:expired|is inactive)|inactive subscription|activate your subscription|account is not active|key limit exceeded|quota (?:is |has been )?exhausted|monthly (?:included credits|spending|quota)|daily free allocation|paid plan|余额|欠费|充值|资源包|额度(?:已|不足)|余量/i,
    statuses: (status) => status !== 404,
  },
  {
    reason: "overloaded",
    codes:
      /overload|serverbusy|capacityexceeded|capacity|queuefull|queueexceeded|modelnotready|modelloading|unavailableerror|workerlimit|^1305$|^50505$|^3040$/,
    words:
      /\boverload(?:ed|ing)?\b|(?:at|over|no(?: available)?|insufficient|flex tier) capacity|capacity (?:is )?(?:temporarily )?(?:exceeded|exhausted|reached)|\b(?:server|service|system|engine|model|cluster)s?\b.{0,30}\b(?:busy|warming up|loading|not ready)|\btoo busy\b|high (?:demand|traffic|load)|queue is full|maximum pending requests|total request limit reached|loading model|model .{0,60}is (?:currently |still )?loading|繁忙|过载|负载过高/i,
    statuses: (status) =>
      status === 200 || status === 400 || status === 424 || status === 429 || status >= 498,
  },
  {
    reason: "rateLimit",
    codes:
      /^(?:global)?(?:ratelimit|toomanyrequests|throttl|requestlimitexceeded|requestblocked|toomanytokens|tokenquotaexceeded)|ratelimit(?:ed|error|exceeded|reached)|limitexceededratelimit|^130[2-4]$/,
    words:
      /^\s{0,9}rate limit|\brate[- ]limit(?:ed|s|ing)?\b.{0,40}\b(?:reached|exceeded|hit|exceed)|\brate limiting\b|exceeded.{0,30}rate limit|too many requests|^(?:request )?limit exceeded|\bthrottled\b|too many tokens, please wait|requests too frequent/i,
    statuses: (status) =>
      status === 200 || status === 400 || status === 403 || status === 429 || status >= 500,
  },
  {
    reason: "unknownModel",
    isInferenceOnly: true,
    codes:
      /modelnotfound|unknownmodel|invalidmodel|modelnotavailable|modelnotopen|modelnotexist|modeldecommissioned|modeldeprecated|modelaccessdenied|deploymentnotfound|endpointnotfound|invalidendpointormodel|unsupportedmodel|nosuchmodel|^1211$|^20012$/,
    words:
      /\bmodels?\b[^.]{0,120}\b(?:does(?:n['’]t| not) exist|do not exist|not found|not exist|unknown|not available|unavailable to|decommissioned|deprecated|retired|end of life|not supported by any|could not be found|not deployed|not loaded|not a valid model)|\b(?:unknown|invalid|no such|unsupported|nonexistent|incorrect) model\b|(?:is )?not a valid model|model (?:name|id|identifier)[^.]{0,80}\b(?:invalid|incorrect|not valid)|access to (?:the |this )?model|unable to access model|not found the model|no endpoints found (?:for|matching)|no models? loaded|no (?:allowed )?providers (?:are )?available|deployment\b[^.]{0,80}\b(?:does not exist|not found)|\bfunction\b [^.]{0,80}\bnot found for account|can only access models|try pulling it|^model: ?\S{1,120}$|模型(?:不存在|未找到|不可用)|不存在.{0,6}模型/i,
    statuses: (status) => status !== 401 && status !== 429 && (status < 500 || status === 500),
  },
  {
    reason: "unsupportedParameter",
    isInferenceOnly: true,
    codes:
      /unsupportedparam|unsupportedvalue|unknownparam|unrecognizedparam|extraforbidden|unknownfield|invalidparametername|unsupportedargument/,
    words:
      /\b(?:unsupported|unknown|unrecognized|unexpected|extra|disallowed) (?:request |sampling |generation )?(?:parameters?|arguments?|fields?|property|properties|options?|params?|keyword argument|name|inputs?)\b|extra inputs are not permitted|\b(?:parameters?|arguments?|params?|property|fields?|options?)\b.{0,80}\b(?:not supported|not allowed|not permitted|unsupported|not recognized|not a valid)|(?:not|n['’]t) (?:currently )?support(?:ed)? (?:the |this )?(?:following )?(?:parameters?|arguments?|params?|fields?|options?|tools?\b|function|tool[ _-]|thinking|reasoning|logprobs|response_format|json|structured)|argument not supported|\b(?:temperature|seed|stop|logprobs|tools|[a-z]{2,20}_[a-z_]{1,30})['"`]? (?:is|are) (?:not |un)(?:currently )?supported|tool[ _]choice requires|--enable-auto-tool-choice|requires? --jinja|no endpoints found that (?:support|can handle)|response_format.{0,60}(?:unavailable|not supported)|\bmax_(?:completion_)?tokens\b.{0,60}(?:too (?:large|high)|at most|maximum allowed)|at most \d{1,9} completion tokens|maximum allowed number of output tokens|(?:function calling|tool (?:use|calling)|tool_choice|temperature|top_p|stop|seed|logprobs|parallel_tool_calls|stream_options).{0,40}(?:is not|isn't|are not|not) supported|does not support \S{1,20} with this model|extraneous key \[|additional properties are not allowed \(|\band ["'`]?\w{1,40}["'`]? cannot both be specified|\b(?:temperature|[a-z]{2,20}_[a-z_]{1,30})["'`]? (?:is|are) deprecated for this model|\binvalid (?:temperature|top_p|top_k|n|seed|presence_penalty|frequency_penalty): only\b|\bn ?(?:>|!=) ?1\b[^.]{0,40}not supported|\bonly n ?= ?1\b|(?<!\w )["'`][\w.]{1,60}["'`] (?:is|are) not supported for this model/i,
    statuses: (status) =>
      status === 200 || status === 400 || status === 404 || status === 422 || status >= 500,
  },
  {
    reason: "forbidden",
    codes: /unsupportedcountry|unsupportedregion|locationnotsupported/,
    words: /(?:country|location|region|territory)\b.{0,40}\bnot (?:supported|available|allowed)/i,
    statuses: (status) => status === 400 || status === 403 || status === 200,
  },
  {
    reason: "apiKey",
    codes:
      /^(?:global)?(?:(?:invalid|incorrect|wrong|expired|missing|disabled|revoked)(?:api|auth|authentication|access|iam|user)?(?:key|token|credentials?)|apikey(?:invalid|expired|notfound|disabled|missing)|authentication(?:error|failed|invalidkey)|autherror|authfailure|invalidauth|unauthenticated|unauthorized|tokennotfoundindb|tokenexpired|expiredtoken|unrecognizedclient)|globalinvalidapikey/,
    words:
      /\b(?:invalid|incorrect|wrong|expired|revoked|unknown|malformed|disabled|no|missing|bad|not pass a valid|provide a valid)\b.{0,40}\b(?:api[ -_]?keys?|x-api-key|access token|auth(?:entication|orization)? (?:token|credentials?|header)|bearer token|credentials|subscription key)\b|\bapi[ _-]?(?:key|secret)s?\b.{0,60}\b(?:not valid|invalid|incorrect|expired|not found|does not exist|wrong|revoked|disabled|missing|required|not provided|unauthorized|carry)\b|\binvalid (?:token|auth\w*|signature key)\b|\btoken (?:has |is )?(?:expired|invalid|revoked)|didn'?t provide an api key|not (?:authenticated|authorized to use this key)|authentication (?:error|failed|failure|required|credentials)|login fail|(?:api ?key|token|令牌|密钥).{0,12}(?:无效|错误|过期|不正确|非法)|身份验证(?:失败|错误)/i,
    statuses: (status) =>
      status === 200 || status === 400 || status === 403 || status === 422 || status === 498,
  },
];

/** Longer messages say what they are about at the beginning. */
const longestWords = 2_000;

/** The reason given by a server's message and codes; undefined if they leave it to the status. */
export function reasonOfWords({ kind, statusCode, words, codes }: ErrorWords): ErrorReason | undefined {
  // The URL of a price list says nothing about a balance.
  const text = words.slice(0, longestWords).replace(/https?:\/\/\S{1,300}/g, " ");
  const plainCodes = codes.map((code) => code.toLowerCase().replace(/[-_./]/g, ""));
  const fitting = rules.filter((rule) => kind === "inference" || rule.isInferenceOnly !== true);
  const exact = fitting.find(
    ({ codes: pattern }) => pattern !== undefined && plainCodes.some((code) => pattern.test(code)),
  );
  const stated = fitting.find(
    ({ words: pattern, statuses }) => pattern?.test(text) === true && statuses?.(statusCode) !== false,
  );
  return decide(exact?.reason, stated?.reason, { kind, statusCode, words: text, codes });
}

/**
 * Codes for a kind of request are less specific than a message about this one; if both are informative, the code is
 * exact.
 */
function decide(
  exact: ErrorReason | undefined,
  stated: ErrorReason | undefined,
  { statusCode, words }: ErrorWords,
): ErrorReason | undefined {
  if (stated === "contextLength" && exact !== "contentFilter") return stated;
  // Limits of a free plan are described with the words for a used-up balance, but with a wait.
  if (statusCode === 429 && exact !== "payment" && stated === "payment" && isPassing(words))
    return "rateLimit";
  if (exact === "rateLimit" && stated === "payment") return statusCode === 402 ? stated : exact;
  if (exact === "apiKey" && stated === "payment") return stated;
  if (exact === "apiKey" && statusCode === 429) return undefined;
  return exact ?? stated;
}

function isPassing(words: string): boolean {
  return /\b(?:retry|try again) (?:in|after) \d|per (?:minute|second|day|hour)|rate limit/i.test(words);
}

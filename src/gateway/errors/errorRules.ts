import type { ErrorReason } from "../../core/kernel/errors.ts";
import { PhraseTable, readWords } from "./phrases.ts";
import type { Words } from "./phrases.ts";
import { rejectedParameter } from "./rejectedParameter.ts";
import { readTokenCounts } from "./tokenCounts.ts";
import { refusedInput } from "./refusedInput.ts";

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
  /**
   * Parts of codes, which are compared in lower case without hyphens, underscores, dots and slashes. A number is a whole
   * code, and `^` the beginning of one.
   */
  readonly codes?: string;
  readonly words: { isIn(words: Words): boolean };
  /** Statuses for which the message is checked; all if absent. */
  readonly statuses?: (statusCode: number) => boolean;
  /** For a GPU gateway, only the status counts in these cases. */
  readonly isInferenceOnly?: true;
}

/** How servers that expect TLS respond to plain HTTP. */
export const httpsPort = new PhraseTable(`
  Go: http request to https server
  nginx: http request was sent to https port
  Apache: plain http to ssl; ssl enabled server port
  Tomcat: combination of host and port requires tls
`);

/** Words for limits that end by themselves. */
const passing = new PhraseTable(`
  OpenAI, Anthropic, Groq, Cerebras: token|request|queries|calls|messages per *; tpm; rpm; tpd; rpd; rate limit*
  Gemini, Azure: retry|again in|after #
  OpenRouter: per second|sec|s|minute|min|hour|day; per #
  BigModel, Kimi: limit|quota|usage … reset*; reset* at|in|on; quota will be refreshed
`);

/** Sentences that reject a parameter without naming it. */
const unsupported = new PhraseTable(`
  OpenAI, Groq, xAI: unsupported|unknown|unrecognized|unexpected|extra|disallowed parameter|argument|field|property|properties|option|param|keyword|name|input
  Mistral, Anthropic: extra inputs are not permitted
  LiteLLM, Volcengine: parameter|argument|params|property|field|option … not supported|allowed|permitted|recognized; parameter|argument|param|property|field|option … unsupported
  Ollama, DeepSeek: not support|supported parameter|argument|params|field|option|following
  OpenRouter: no endpoints found … support|handle
`);

/** The first matching rule decides. */
const rules: readonly Rule[] = [
  {
    reason: "notFound",
    // It says so for an unknown path, whatever the credential is.
    words: new PhraseTable("AWS: ^ missing authentication token $"),
    statuses: (status) => status === 403,
  },
  {
    reason: "contextLength",
    isInferenceOnly: true,
    codes: `contextlengthexceeded contextwindowexceeded exceedcontextsize contextlimit contexttoolong prompttoolong inputtoolong
      stringabovemaxlength tokenslimitreached tokenlimitexceeded modelmaxtokens modelmaxprompttokens 1261 3051 20015`,
    words: new PhraseTable(`
      OpenAI, vLLM, DeepSeek, OpenRouter, LM Studio, Ollama: context length|window|size|limit|budget; context_length
      OpenAI, Groq, Cerebras: reduce|shorten|decrease … length|size|tokens|messages|prompt|input|conversation; use shorter prompt|input
      Anthropic, Bedrock, NIM: prompt|input|message|conversation|request|context … is|are|was too long|large
      Cohere, Ollama, SiliconFlow: prompt|input|context|conversation|tokens too long; too many input|prompt|context tokens; too many tokens … prompt|exceed*
      Groq, Mistral, GitHub Models: request too large for; too large for … model; max size # tokens
      vLLM, llama.cpp, TabbyAPI: maximum model length; max_model_len; max_seq_len; max_position_embeddings; n_ctx
      xAI, TensorRT-LLM, SambaNova: prompt|input|sequence|query length|token … exceed*|greater|longer|larger|over|beyond; maximum|max prompt|input|sequence|message length|tokens; requested generation length; sequence length … # … tokens|length
      TensorRT-LLM: max_num_tokens; max_input_len; default_max_tokens; prompt length … # … max_new_tokens
      Google, Copilot, Databricks: token count … exceed*|greater|but; input token count
      TGI, Workers AI: inputs must have less; inputs tokens … must be; length of input|prompt|prompt_tokens|messages … must|should be
      DashScope: input length should|must be; range of input length
      Moonshot, watsonx: model token limit; total tokens limit; number of input tokens; total tokens … exceed*
      Snowflake, LiteLLM: exceed* … max|maximum … tokens|length; exceed* … token|input|prompt limit; tokens … exceed* … limit|maximum; max tokens of # exceeded
      Ollama, others: # tokens over|above|beyond|past|too; over|exceed*|above … by # tokens; tokens > #; too long|large by #
      BigModel, MiniMax, Baidu: 上下文…超; 上下文过长; 上下文…过长; 输入…过长; 输入…超; prompt 超长; 超过…最大; 超出…最大; 超过…上下文; 超出…上下文; 超过…token; 超出…token; token…超过
    `),
    statuses: (status) => status !== 401 && status !== 402,
  },
  {
    reason: "contentFilter",
    isInferenceOnly: true,
    codes: `contentfilter contentpolicy responsibleai datainspectionfailed sensitivecontent contentmoderation moderationblocked
      censorship prohibitedcontent blockedcontent contentblocked safetyblock ^safety promptblocked guardrail invalidprompt
      usageguidelines 1301 1026 1027`,
    words: new PhraseTable(`
      Azure, Anthropic: content management|filtering|usage|safety policy|policies|filter; content policy|policies|filter|filtering; was|were filtered
      OpenAI, OpenRouter: flagged; moderation; moderated; safety system|filter|policy|policies|setting|reason|check|guidelines; usage policy|policies|guidelines; violat* … policy|policies|guidelines|terms
      Google, Vertex AI: prohibited_content; prohibited|inappropriate|sensitive|unsafe|harmful|explicit|disallowed content|material; blocked by|due|because … safety|policy|filter|content|moderation; blocklist; recitation
      DeepSeek, Moonshot: content exists risk; considered high risk
      Bedrock, Cohere: guardrail*; blocked output|input|prompt; content|prompt|output|input … is|was|been blocked
      DashScope, StepFun: may contain inappropriate; data inspection
      MiniMax: new_sensitive; output_sensitive
      BigModel, Tencent, Baidu: 敏感; 违规; 不安全; 内容安全; 审核
    `),
    statuses: (status) => status !== 401 && status !== 429,
  },
  {
    reason: "unsupportedInput",
    isInferenceOnly: true,
    words: { isIn: (words) => refusedInput(words) !== undefined },
    statuses: (status) => /^(?:200|400|404|415|422|50[01])$/.test(String(status)),
  },
  {
    reason: "payment",
    codes: `insufficientquota insufficientuserquota insufficientbalance insufficientcredit insufficientfunds paymentrequired billing
      arrear overdue notenoughbalance notenoughcredit notenoughfunds outofcredit lackofcredit outofbalance lackofbalance
      creditsexhausted exceededcurrentquota budgetexceeded spendlimit spendinglimit freetieronly resourcepackexhausted
      balancenotenough quotaexhausted accountsuspended carddeclined 1113 30001`,
    words: new PhraseTable(`
      DeepSeek, Novita, SiliconFlow: insufficient|low|negative|zero|exhausted|enough|no|any|more|missing|exceeded|lack … balance|credit|fund; out of balance|credit|funds; used up|all … balance|credit|neurons
      Anthropic, NIM, Hugging Face: balance|credit|funds … insufficient|low|exhausted|depleted|expired|overdue|negative|zero|required; balance|credit|funds … not enough; balance|credit|funds … used|ran up|out; included credits
      OpenAI: exceeded current quota; account … not active; billing hard limit; billing limit; billing details
      Together, OpenRouter: credit limit; key limit exceeded; add|purchase|buy … credit|funds; afford
      Moonshot, DashScope: top up; recharge; good standing
      Fireworks, DeepInfra: payment method|required; past due|invoices; pay past; spending limit; spend limit; failure to pay; monthly quota|spending
      LiteLLM: budget … exceeded; exceeded … budget
      Volcengine: overdue; arrear*; unpaid; debt
      Google, Azure: enable billing; billing to be; billing is|not; billing must; account|subscription … billing
      Mistral: activate … subscription; subscription … expired|inactive|required; inactive subscription
      DashScope, Workers AI: quota exhausted; quota is|been|has|was … exhausted; free tier … exhausted; free allocation; paid plan
      BigModel, Baidu: 余额; 欠费; 充值; 资源包; 额度已; 额度不足; 余量
    `),
    statuses: (status) => status !== 404,
  },
  {
    reason: "overloaded",
    codes: `overload serverbusy capacity queuefull queueexceeded modelnotready modelloading unavailableerror workerlimit 1305 50505 3040`,
    words: new PhraseTable(`
      Anthropic, Moonshot, Gemini: overload*
      Mistral, Groq, Together: at|over|no|insufficient|tier capacity; no available capacity; capacity … exceeded|exhausted|reached
      Ollama, Hugging Face: server|service|system|engine|model|cluster|backend … busy|loading; server|service|system|engine|model … warming up; server|service|engine|model … not ready; too busy; loading model
      Cerebras, OpenAI, Google: high demand|traffic|load; queue is full; queue full
      Ollama, NIM: maximum pending requests; total request limit reached
      BigModel, Baidu: 繁忙; 过载; 负载过高
    `),
    statuses: (status) =>
      status === 200 || status === 400 || status === 424 || status === 429 || status >= 498,
  },
  {
    reason: "rateLimit",
    codes: `ratelimit toomanyrequests ^throttl requestlimitexceeded ^requestblocked toomanytokens tokenquotaexceeded 1302 1303 1304 1308`,
    words: new PhraseTable(`
      OpenAI, Groq, Mistral: ^ … rate limit; rate limit|limited|limiting … reached|exceeded|hit|exceed; exceed* … rate limit
      Together, OpenRouter: rate limiting; rate limited; rate limits are; tokens|requests|queries per second|minute|min|hour|day
      Bedrock, Django: too many requests; too many tokens . wait; too many tokens wait; throttl*
      AWS, Vast: ^ limit exceeded; ^ request limit exceeded; requests too frequent
      BigModel: usage limit reached; 并发; 频率; 速率
    `),
    statuses: (status) =>
      status === 200 || status === 400 || status === 403 || status === 413 || status === 429 || status >= 500,
  },
  {
    reason: "unknownModel",
    isInferenceOnly: true,
    codes: `modelnotfound unknownmodel invalidmodel modelnotavailable modelnotopen modelnotexist modeldecommissioned modeldeprecated
      modelretired modelendoflife modelaccessdenied deploymentnotfound deploymentretired endpointnotfound invalidendpointormodel
      unsupportedmodel nosuchmodel 1211 20012`,
    words: new PhraseTable(`
      OpenAI, vLLM, Ollama: model|deployment … not exist|found|available|loaded|deployed|valid|supported|active; model … could not be found; try pulling
      LiteLLM, Workers AI: unknown|invalid|unsupported|nonexistent|incorrect model; no such model; model … unknown|unavailable; not found model; model name|id|identifier … invalid|incorrect
      Groq, Bedrock, NIM: model|version|snapshot … end of life; model|version|snapshot … decommissioned|deprecated|retired|discontinued|sunset|removed|superseded|eol|legacy|obsolete; model|version … longer available|supported|served|offered; model … shut down; model … been replaced; model … phased out; been deprecated on; switching to … model
      Volcengine, Azure: access to model; access model; access models; permission … model
      OpenRouter: not valid model; no endpoints found for; no endpoints found matching; no providers … available; no allowed providers
      LM Studio: no model loaded
      NIM: function … not found for account
      Anthropic: ^ model claude … $
      Qianfan: 模型不存在; 模型未找到; 模型不可用; 不存在…模型; 模型…下线
    `),
    statuses: (status) => status !== 401 && status !== 429 && (status < 500 || status === 500),
  },
  {
    reason: "unsupportedParameter",
    isInferenceOnly: true,
    codes: `unsupportedparam unsupportedvalue unknownparam unrecognizedparam extraforbidden unknownfield invalidparametername unsupportedargument`,
    words: {
      isIn: (words) => rejectedParameter(words) !== undefined || unsupported.isIn(words),
    },
    statuses: (status) =>
      status === 200 || status === 400 || status === 404 || status === 422 || status >= 500,
  },
  {
    reason: "forbidden",
    codes: "unsupportedcountry unsupportedregion locationnotsupported",
    words: new PhraseTable(
      "OpenAI, Google: country|location|region|territory … not supported|available|allowed",
    ),
    statuses: (status) => status === 400 || status === 403 || status === 200,
  },
  {
    reason: "apiKey",
    codes: `invalidapikey incorrectapikey wrongapikey expiredapikey missingapikey disabledapikey revokedapikey invalidauth
      invalidaccesskey invalidkey invalidtoken invalidaccesstoken invalidcredential expiredtoken expiredkey missingtoken apikeyinvalid
      apikeyexpired apikeynotfound apikeydisabled apikeymissing ^authenticationerror ^authenticationfailed authenticationinvalidkey
      ^autherror ^authfailure ^unauthenticated ^unauthorized tokennotfoundindb ^tokenexpired unrecognizedclient`,
    words: new PhraseTable(`
      OpenAI, xAI, Gemini: invalid|incorrect|wrong|expired|revoked|unknown|malformed|disabled|no|missing|bad … api key; api key|secret … invalid|incorrect|expired|wrong|revoked|disabled|missing|required|unauthorized|carry; api key … not valid|found|exist|provided; pass|provide … valid api key; not provide … api key
      Azure, OpenRouter: invalid|no|missing|incorrect … subscription key; no|invalid|missing|bad … auth|authentication|authorization … credential|token|header; invalid|no|missing … access|bearer token; invalid|no|missing|bad … credentials; x api key
      SiliconFlow, LiteLLM: invalid token; invalid auth*; invalid signature key; invalid proxy server token; token expired|invalid|revoked; token is|has|was expired|invalid|revoked; token has been|already expired|revoked
      Cloudflare, MiniMax: not authenticated; not authorized to use key; authentication error|failed|failure|required|credentials; login fail
      BigModel, Baidu: 无效…密钥; 密钥…无效; 密钥…错误; 令牌…无效; 令牌…过期; 令牌…不正确; token…过期; token…不正确; token…非法; key…无效; key…错误; key…过期; 身份验证失败; 身份验证错误; 认证失败
    `),
    statuses: (status) =>
      status === 200 || status === 400 || status === 403 || status === 422 || status === 498,
  },
];

/** The reason given by a server's message and codes; undefined if they leave it to the status. */
export function reasonOfWords({ kind, statusCode, words, codes }: ErrorWords): ErrorReason | undefined {
  const read = readWords(words);
  const plainCodes = codes.map((code) => code.toLowerCase().replace(/[-_./]/g, ""));
  const fitting = rules.filter((rule) => kind === "inference" || rule.isInferenceOnly !== true);
  const exact = fitting.find(({ codes: parts = "" }) => plainCodes.some((code) => hasPart(code, parts)));
  const stated = fitting.find((rule) => rule.statuses?.(statusCode) !== false && rule.words.isIn(read));
  const isPassing = passing.isIn(read);
  return decide(exact?.reason, stated?.reason, { statusCode, words, isPassing });
}

function hasPart(code: string, parts: string): boolean {
  return parts.split(/\s+/).some((part) => {
    if (part === "" || /^\d/.test(part)) return part !== "" && part === code;
    return part.startsWith("^") ? code.startsWith(part.slice(1)) : code.includes(part);
  });
}

/**
 * Codes for a kind of request are less specific than a message about this one; if both are informative, the code is
 * exact.
 */
function decide(
  exact: ErrorReason | undefined,
  stated: ErrorReason | undefined,
  {
    statusCode,
    words,
    isPassing,
  }: Pick<ErrorWords, "statusCode" | "words"> & { readonly isPassing: boolean },
): ErrorReason | undefined {
  if (stated === "contextLength" && exact !== "contentFilter") {
    // A limit of tokens per minute passes, unless this request alone exceeds it.
    const isLater = isPassing && exact !== "contextLength" && readTokenCounts(words).requested === undefined;
    return isLater ? "rateLimit" : stated;
  }
  // A code such as "unsupported value" is about the part of the message.
  if (stated === "unsupportedInput") return stated;
  // Limits of a free plan are described with the words for a used-up balance, but with a wait.
  if (statusCode === 429 && exact !== "payment" && stated === "payment" && isPassing) return "rateLimit";
  if (exact === "rateLimit" && stated === "payment") return statusCode === 402 ? stated : exact;
  if (exact === "apiKey" && stated === "payment") return stated;
  if (exact === "apiKey" && statusCode === 429) return undefined;
  return exact ?? stated;
}

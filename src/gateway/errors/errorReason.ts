import { kindRefusedBy } from "../../core/account/credentialKinds.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import type { ErrorReason, TokenCounts, UnsupportedInput } from "../../core/kernel/errors.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import type { ErrorClues } from "./errorClues.ts";
import { refusedPart } from "./gatewayRefusal.ts";
import { readWords, PhraseTable } from "./phrases.ts";
import { memberName, isOptional, namedParameter, rejectedParameter } from "./rejectedParameter.ts";
import { isUsedUpQuota } from "./rateLimit.ts";
import { refusedInput } from "./refusedInput.ts";
import { readOutputLimit, readTokenCounts } from "./tokenCounts.ts";
import { credentialForms } from "../../core/kernel/credential.ts";
import type { Words } from "./phrases.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

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
const httpsPort = new PhraseTable(`
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
      LiteLLM, others: prompt_too_long; input_too_long; context_too_long
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
      Ollama, others: prompt|input|request|conversation|messages has|have|is|contains # tokens … only|supports|accepts|holds #; input_tokens|prompt_tokens # … must be <=|<|less
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
function reasonOfWords({ kind, statusCode, words, codes }: ErrorWords): ErrorReason | undefined {
  const read = readWords(words);
  const plainCodes = codes.map((code) => code.toLowerCase().replace(/[-_./]/g, ""));
  const fitting = rules.filter((rule) => kind === "inference" || rule.isInferenceOnly !== true);
  const exact = fitting.find(({ codes: parts = "" }) => plainCodes.some((code) => hasPart(code, parts)));
  const stated = fitting.find((rule) => rule.statuses?.(statusCode) !== false && rule.words.isIn(read));
  const evidence = { statusCode, words, isPassing: passing.isIn(read), isQuota: isUsedUpQuota(read) };
  return decide(exact?.reason, stated?.reason, evidence);
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
    isQuota,
  }: Pick<ErrorWords, "statusCode" | "words"> & { readonly isPassing: boolean; readonly isQuota: boolean },
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
  if ((exact ?? stated) === undefined && isQuota && [200, 400, 403].includes(statusCode)) return "payment";
  return exact ?? stated;
}

/** The facts used for the classification. */
interface ErrorEvidence {
  readonly kind: "inference" | "gateway";
  /** The credential of a gateway request, which matters for a 401 without a code. */
  readonly credential?: GatewayCredentialKind;
  readonly url?: URL;
  readonly statusCode: number;
  readonly body: ErrorBody;
  /** The whole body. */
  readonly text: string;
  readonly clues: ErrorClues;
  /** Whether the request was sent over plain HTTP. */
  readonly isPlain?: boolean;
  /** Whether an inference request was sent without a key because none is stored. */
  readonly isKeyless?: boolean;
}

interface ClassifiedError {
  readonly reason: ErrorReason;
  readonly code?: string;
  readonly tokens?: TokenCounts;
  readonly parameter?: string;
  readonly tokenLimit?: number;
  readonly input?: UnsupportedInput;
}

/** The only place that maps statuses, codes and words to reasons (interface section 7). */
export function errorReason(evidence: ErrorEvidence): ClassifiedError {
  const { kind, body } = evidence;
  const classified = kind === "gateway" ? classifyGatewayCode(evidence) : undefined;
  if (classified !== undefined) return classified;
  const stated = refusedByGateway(evidence) ?? reasonOf(evidence, effectiveStatus(evidence));
  const reason = stated === "apiKey" && evidence.isKeyless === true ? "missingCredential" : stated;
  return { reason, ...(body.code === undefined ? {} : { code: body.code }), ...detailsOf(reason, evidence) };
}

/** What a code of the gateway means; each of them has its own advice. */
function gatewayReason(code: string): ErrorReason | undefined {
  if (code === "ERR_AUTHTYPE") return "authenticationType";
  const kind = kindRefusedBy(code);
  return kind === undefined ? undefined : credentialForms[kind].refusedAs;
}

/** The interface doesn't show where the code is in the body: it is looked for in a code field first, then anywhere. */
function classifyGatewayCode({ body, text }: ErrorEvidence): ClassifiedError | undefined {
  for (const candidate of [body.code, body.message, text.slice(0, 64 * 1024)]) {
    const code = candidate === undefined ? undefined : /\bERR_[A-Z_]{1,40}\b/.exec(candidate)?.[0];
    const reason = code === undefined ? undefined : gatewayReason(code);
    if (code !== undefined && reason !== undefined) return { reason, code };
  }
  return undefined;
}

/** The codes of other clouds for signatures, nonces, times and tokens, whatever their status is. */
function refusedByGateway({
  kind,
  credential,
  statusCode,
  body,
  clues,
}: ErrorEvidence): ErrorReason | undefined {
  if (kind !== "gateway" || ![200, 400, 401, 403, 404].includes(statusCode)) return undefined;
  // Some clouds respond with 200, and only their codes are clear.
  const words = statusCode === 200 ? "" : (body.message ?? "");
  const part = refusedPart([body.code ?? "", ...clues.kinds], words);
  if (part === undefined) return undefined;
  return part === "token" ? refusedCredential(credential) : "signature";
}

/** Some services respond with 200 and put the status into the body's code, or into a separate field. */
function effectiveStatus({ statusCode, body, clues }: ErrorEvidence): number {
  if (statusCode >= 400) return statusCode;
  const code = [body.code ?? "", ...clues.kinds].find((kind) => /^[45]\d\d$/.test(kind));
  if (code !== undefined) return Number(code);
  return kindStatuses.find(([pattern]) => clues.kinds.some((kind) => pattern.test(kind)))?.[1] ?? statusCode;
}

/** The status that a service would have used if its response had not started successfully. */
const kindStatuses: readonly (readonly [pattern: RegExp, statusCode: number])[] = [
  [/^(?:invalid[_ ]?request|bad[_ ]?request|invalid[_ ]?argument|validation)/i, 400],
  [/^permission|^forbidden/i, 403],
  [/^not[_ ]?found/i, 404],
  [/^(?:internal[_ ]?)?server[_ ]?error|^api[_ ]?error|^internal(?:[_ ]?error|$)/i, 500],
  [/^(?:service[_ ]?)?unavailable|^timeout/i, 503],
];

function reasonOf(evidence: ErrorEvidence, statusCode: number): ErrorReason {
  // 511: a network in which one has to sign in.
  if (statusCode === 407 || statusCode === 511) return "proxy";
  if (evidence.isPlain === true && httpsPort.isIn(readWords(evidence.body.message ?? "")))
    return "wrongScheme";
  const { kind, credential, body, clues } = evidence;
  const words = body.pageTitle === undefined ? (body.message ?? "") : "";
  const stated = reasonOfWords({ kind, statusCode, words, codes: [body.code ?? "", ...clues.kinds] });
  // Which gateway credential is meant depends on the one that was sent.
  if (stated === "apiKey" && kind === "gateway" && (credential !== undefined || statusCode >= 400)) {
    return refusedCredential(credential);
  }
  const hasRejected = clues.parameters.some(isOptional) && /^(?:400|422)$/.test(String(statusCode));
  if (
    stated === undefined &&
    hasRejected &&
    /unsupported|not supported|extra_?forbidden|unknown_?param/i.test(`${words} ${clues.kinds.join(" ")}`)
  ) {
    return "unsupportedParameter";
  }
  const own = kind === "gateway" && stated === "apiKey" ? undefined : stated;
  return own ?? statusReason(statusCode, evidence);
}

function detailsOf(reason: ErrorReason, { body, clues }: ErrorEvidence): Partial<ClassifiedError> {
  const words = body.message ?? "";
  if (reason === "contextLength") {
    const tokens = { ...readTokenCounts(words), ...clues.tokens };
    const parameter = /\bmax_(?:completion_)?tokens\b['"`]{0,2}[^.]{0,40}too (?:large|high)/i.test(words)
      ? "max_tokens"
      : undefined;
    const tokenLimit = parameter === undefined ? undefined : readOutputLimit(words);
    const isKnown = tokens.limit !== undefined || tokens.requested !== undefined;
    return filledFields({ tokenLimit, tokens: isKnown ? tokens : undefined, parameter });
  }
  if (reason === "unsupportedInput") {
    return filledFields({ input: refusedInput(readWords(words)) });
  }
  if (reason !== "unsupportedParameter") return {};
  const named = namedParameter(readWords(words)) ?? memberName(clues.parameters.find(isOptional));
  if (named === undefined || !isOptional(named)) return {};
  const tokenLimit = /^max_\w*tokens$/.test(named) ? readOutputLimit(words) : undefined;
  return { parameter: named, ...(tokenLimit === undefined ? {} : { tokenLimit }) };
}

function statusReason(statusCode: number, evidence: ErrorEvidence): ErrorReason {
  switch (statusCode) {
    case 401:
      return evidence.kind === "inference" ? "apiKey" : refusedCredential(evidence.credential);
    case 402:
      return "payment";
    case 403:
      return "forbidden";
    case 404:
    case 405:
      return "notFound";
    case 410:
      // What is gone is a model, or the path of a list.
      return evidence.url?.pathname.endsWith("/chat/completions") === true ? "unknownModel" : "notFound";
    case 408:
    case 424:
    case 425:
      return "unavailable";
    case 429:
      return "rateLimit";
    case 451:
      return "contentFilter";
    case 498:
      // Most services mean an invalid token; a service that only uses keys means its capacity.
      return evidence.kind === "gateway" ? refusedCredential(evidence.credential) : "overloaded";
    case 529:
      return "overloaded";
    default:
      return rangeReason(statusCode, evidence);
  }
}

function refusedCredential(credential: GatewayCredentialKind = "sessionToken"): ErrorReason {
  return credentialForms[credential].refusedAs;
}

function rangeReason(statusCode: number, { body }: ErrorEvidence): ErrorReason {
  if (statusCode >= 500) return "unavailable";
  if (statusCode >= 400) return "badRequest";
  if ([301, 302, 303, 307, 308].includes(statusCode)) return "redirected";
  return body.pageTitle === undefined && body.code !== undefined ? "service" : "malformed";
}

/** A name between quotation marks of any kind. */
const quoted = "[\"'`“‘]{0,2}([A-Za-z_][\\w.]{0,60})[\"'`”’]{0,2}";

/** Sentences by which servers reject a parameter; the group is its name. */
const sentences: readonly RegExp[] = [
  pattern(
    `(?:unsupported|unknown|unrecognized|unexpected|invalid|extra|disallowed) (?:request )?(?:parameters?|arguments?|fields?|keys?|propert(?:y|ies)|options?|values?)(?: supplied| name| provided)?[:\\s]{0,3}${quoted}`,
  ),
  pattern(
    `(?:parameters?|arguments?|fields?|propert(?:y|ies)|options?|params?) ${quoted}(?: of type \\w+)? (?:(?:is|are|was)(?:n['’]t| not)?|does(?:n['’]t| not)|do not|can(?:no|['’])t) ?(?:be )?(?:currently )?(?:supported|allowed|permitted|recognized|valid|available|unsupported|unknown|exist|compatible)`,
  ),
  pattern(
    `(?:does(?:n['’]t| not)|do not|cannot|can['’]t) (?:currently )?(?:support|allow|accept|recognize)(?: the)?(?: following)? (?:parameters?|arguments?|fields?|options?|params?|property)[:\\s]{0,3}\\[?${quoted}`,
  ),
  /\b(temperature|seed|stop|logprobs|tools|[a-z]{2,20}_[a-z_]{1,30})['"`]? (?:is|are) (?:not |un)(?:currently )?supported/i,
  pattern(`argument not supported(?: on this model| by this model)?: ${quoted}`),
  pattern(`unknown (?:name|field) ${quoted}`),
  pattern(`extra inputs are not permitted, field: ${quoted}`),
  pattern(`^(?:body\\.|request\\.)?${quoted}: extra inputs are not permitted`),
  pattern(`['"]loc['"]: [\\[(]['"]body['"], ${quoted}[,)\\]]`),
  pattern(`got an unexpected keyword argument ${quoted}`),
  pattern(
    `${quoted} (?:is|are) (?:not|un) ?(?:currently )?supported (?:with|by|for|on|in) th(?:is|e) (?:model|endpoint|server|api|engine)`,
  ),
  pattern(
    `${quoted} (?:is not|isn['’]t) a (?:valid|supported|known|recognized) (?:parameter|argument|field|option|property)`,
  ),
];

/** What servers call in words what is a member of the body. */
const named: readonly (readonly [words: RegExp, parameter: string])[] = [
  [/\bmax_completion_tokens['"]? instead\b/i, "max_tokens"],
  [
    /\bmax_(?:completion_)?tokens\b[^.]{0,60}(?:too (?:large|high)|at most|maximum allowed|must be (?:less|smaller|at most|<=)|exceeds?)|at most \d{1,9} completion tokens|maximum allowed number of output tokens/i,
    "max_tokens",
  ],
  [
    /tool choice requires|--enable-auto-tool-choice|["'`]?tool_choice["'`]? (?:is not|isn't) supported/i,
    "tool_choice",
  ],
  [
    /(?:does(?:n['’]t| not) support|not support|without support for|no (?:endpoints|providers?) (?:found )?that support|unsupported:?) (?:the )?(?:use of )?(?:native )?(?:tools?\b|function[- _]?call|tool[- _]?(?:use|call))|tools? (?:param\w* )?(?:(?:is|are) not supported|requires? --jinja)|(?:tool|function)[- _]?(?:use|calling) is(?: not|n['’]t) supported/i,
    "tools",
  ],
  [
    /response_format\b[^.]{0,60}(?:not supported|unavailable|unsupported|is not|isn't)|(?:does(?:n['’]t| not) support|not support) (?:response[_ ]format|structured outputs?|json[_ ]?(?:mode|schema|object))|json[_ ]?(?:mode|schema)\b[^.]{0,30}not supported/i,
    "response_format",
  ],
  [/does(?:n['’]t| not) support (?:thinking|reasoning)\b/i, "reasoning_effort"],
  [/does(?:n['’]t| not) support (?:log ?probs?)\b/i, "logprobs"],
];

const longestWords = 2_000;

/**
 * The member of the request's body that a sentence rejects; undefined where it rejects none.
 * @param words The server's message.
 */
export function readRejectedParameter(words: string): string | undefined {
  const text = words.slice(0, longestWords);
  const name = sentences.map((sentence) => sentence.exec(text)?.[1]).find((found) => found !== undefined);
  return memberName(name) ?? named.find(([pattern]) => pattern.test(text))?.[1];
}

/** Words that stand where a name may stand and are none. */
const noNames = new Set(
  "for in is the this that to of a an and or body request value values supplied model with not name type error input inputs json".split(
    " ",
  ),
);

/** The member of the body in a path such as `body.foo` or `messages.0.name`; undefined where it is no name. */
export function memberName(path: string | undefined): string | undefined {
  const [first] = (path ?? "").replace(/^(?:body|request)[./]/, "").split(/[.[\]/]/);
  return first === undefined ||
    first === "" ||
    !/^[A-Za-z_]\w*$/.test(first) ||
    noNames.has(first.toLowerCase())
    ? undefined
    : first;
}

function pattern(source: string): RegExp {
  return new RegExp(source, "i");
}

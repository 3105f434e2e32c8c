import { PhraseTable } from "./phrases.ts";
import type { Words } from "./phrases.ts";

/** Sentences that reject a parameter whose name follows or precedes them. */
const rejected = new PhraseTable(`
  OpenAI: unsupported|unknown|unrecognized|unexpected|extra|disallowed … parameter|param|argument|field|key|property|properties|option|value|name supplied|provided @; unsupported|unknown|unrecognized|unexpected|extra|disallowed … parameter|param|argument|field|key|property|properties|option|value|name @
  Groq, Volcengine: parameter|argument|field|property|properties|option|param @ … not … supported|allowed|permitted|recognized|valid|available|exist|compatible; parameter|argument|field|property|option|param @ is|are unsupported|unknown
  LiteLLM: not support|allow|accept|recognize … parameter|argument|field|option|params|property @
  xAI, TGI: argument not supported on model @; argument not supported @
  Mistral, vLLM: loc body @
  Fireworks, Anthropic: extra inputs are not permitted field @; extra inputs are not permitted @; @ extra inputs are not permitted
  Bedrock, FastAPI: unexpected keyword argument @; extraneous key @; additional properties are not allowed @; and @ can not both be specified
  OpenAI: @ does not support # with model; @ is not valid|supported|known|recognized parameter|argument|field|option|property
`);

/** Sentences about anything, in which a word counts only if it looks like the name of a parameter. */
const rejectedName = new PhraseTable(`
  Together, vLLM, OpenAI: @ is|are not supported; @ is|are unsupported; @ not supported
  Anthropic, Moonshot: @ is|are deprecated for; invalid @ only
`);
const parameterName =
  /^(?:temperature|seed|stop|logprobs|tools|n|[a-z]{2,20}(?:_[a-z]{1,20})+|[a-z_]{2,30}(?:\.\w+)+)$/;

/** Sentences that only name what is wrong with a parameter, once it is known that one is. */
const invalid = new PhraseTable(`
  OpenAI: invalid … parameter|param|argument|field|key|property|option|value supplied|provided @; invalid … parameter|param|argument|field|key|property|option|value @
`);

/** What servers describe in words instead of naming the field of the body. */
const described: readonly (readonly [parameter: string, phrases: PhraseTable])[] = [
  [
    "max_tokens",
    new PhraseTable(`
      OpenAI, DeepSeek: invalid max_tokens|max_completion_tokens; range of max_tokens; max_completion_tokens instead; at most # completion tokens
      Anthropic, Groq: max_tokens|max_completion_tokens … large|high|most|exceed*|less|smaller|<=|maximum; maximum allowed number of output tokens
    `),
  ],
  [
    "tool_choice",
    new PhraseTable("vLLM: tool choice requires; enable auto tool choice; tool_choice is not supported"),
  ],
  [
    "tools",
    new PhraseTable(`
      Ollama, DeepSeek: not|without support|supported … tool|function; unsupported … tool|function
      OpenRouter: no endpoints|providers … support … tool|function
      llama.cpp: tool … requires jinja; tool|tool_use … not supported; function calling|calls … not supported
    `),
  ],
  [
    "response_format",
    new PhraseTable(`
      DeepSeek, Groq: response_format … supported|unavailable|unsupported; json mode|schema … not supported; json_schema|json_object … not supported
      Ollama: not support response_format|response|structured|json|json_schema|json_object
    `),
  ],
  ["reasoning_effort", new PhraseTable("Ollama: not support thinking|reasoning")],
  ["logprobs", new PhraseTable("vLLM: not support logprobs; not support log probs")],
  ["n", new PhraseTable("DeepSeek: n > # … not supported; only n = #")],
];

/** The field of the request body that a sentence rejects; undefined if it doesn't reject one. */
export function rejectedParameter(words: Words): string | undefined {
  for (const { name } of rejected.matches(words)) {
    const member = memberName(name);
    if (member !== undefined) return member;
  }
  for (const { name = "" } of rejectedName.matches(words))
    if (parameterName.test(name)) return memberName(name);
  return described.find(([, phrases]) => phrases.isIn(words))?.[0];
}

/** The same, also for sentences that say less clearly what they reject. */
export function namedParameter(words: Words): string | undefined {
  const names = Array.from(invalid.matches(words), ({ name }) => memberName(name));
  return rejectedParameter(words) ?? names.find((name) => name !== undefined);
}

/** Words that occur in place of a name but aren't names. */
const noNames = new Set(
  "are was were be has have do does did can must should msg for in is the this that to of a an and or body request value values supplied model with not name type error input inputs json".split(
    " ",
  ),
);

/** The field of the body in a path such as `body.foo` or `messages.0.name`. Undefined if it isn't a name. */
export function memberName(path: string | undefined): string | undefined {
  const [first] = (path ?? "").replace(/^(?:body|request)[./]/, "").split(/[.[\]/]/);
  return first === undefined ||
    first === "" ||
    !/^[A-Za-z_]\w*$/.test(first) ||
    noNames.has(first.toLowerCase())
    ? undefined
    : first;
}

/** Whether a request can do without the parameter. */
export function isOptional(parameter: string): boolean {
  const name = memberName(parameter);
  return name !== undefined && !/^(?:model|messages?|prompt|input|stream|key)$/.test(name);
}

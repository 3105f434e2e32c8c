import type { TokenCounts } from "../../core/kernel/errors.ts";
import { PhraseTable, readWords } from "./phrases.ts";
import type { PhraseMatch } from "./phrases.ts";

/** Sentences with both numbers, and those whose number is neither: the excess, or a code. */
const pairs = new PhraseTable(`
  Anthropic: #sent + #more > #limit
  TGI: <= #limit . given #sent inputs tokens … #more; <= #limit given #sent inputs tokens … #more
  vLLM: passed #sent input tokens … . … context length … #limit
  Groq, Moonshot, OpenAI: limit #limit requested #sent; limit #limit used # requested #sent
  Ollama, others: by #over token … limit|maximum|window|context … #limit; exceed*|over|above|beyond|long|large|prompt|input|reduce|shorten … by #over token; by least #over tokens; #over tokens over|above|beyond … #limit; #over tokens over|above|beyond|too
  MiniMax: exceeds limit #code $
  SambaNova: requires sequence length of #sent … maximum … length … #limit; prompt length … #sent … maximum … length … #limit
  OpenAI, vLLM, SGLang, xAI: maximum|max|limit|only|most|length|tokens|exceed … #limit … requested|resulted|given|received|got|contains|has|have|sent|actual|provided|is … #sent; maximum|max|limit|only|most|length|exceed … #limit … . … requested|resulted|given|received|got|contains|has|have|sent|actual|provided|is|passed … #sent; less … #limit … . given #sent; less … #limit … given #sent
  Bedrock, Databricks: max|exceed … tokens|exceed #limit … count #sent; exceed #limit . … count #sent
  Google, Mistral, llama.cpp, SGLang, Cloudflare, Copilot: #sent … exceed*|longer|greater|larger|less|more|over|above|than|large|>|>=|while|but … #limit
  LM Studio, vLLM: first #sent tokens … . … context length … #limit; n_keep #sent … n_ctx #limit; length|len #sent … #limit; long #sent … #limit
  TensorRT-LLM: length … #sent … maximum|max|exceed … #limit
`);
const limits = new PhraseTable(`
  OpenAI, Groq, GitHub Models: context length|window|size|limit|budget … #limit; max|maximum … length|tokens|size|input|prompt … #limit; n_ctx #limit; at most #limit; <= #limit; limit … #limit; max size #limit; max tokens of #limit
  Fireworks: #limit tokens maximum; #limit maximum; #limit token context|limit; #limit context
  DashScope: range … #low #limit
`);
const sent = new PhraseTable(`
  OpenAI, Anthropic, llama.cpp: requested … #sent; resulted in #sent; sent #sent; request|input|prompt|messages has|is|have … #sent; current length … #sent; contains #sent
`);
/** Smaller numbers count something else. */
const smallest = 16;

/** The numbers in a server's message that rejects a request as too long; empty if it contains none. */
export function readTokenCounts(message: string): TokenCounts {
  const words = readWords(message);
  let hasOther = false;
  for (const { numbers } of pairs.matches(words)) {
    const counts = countsOf(numbers);
    if (counts !== undefined) return counts;
    hasOther ||= numbers["limit"] === undefined;
  }
  if (hasOther) return {};
  const limit = firstCount(limits.matches(words), "limit");
  const requested = firstCount(sent.matches(words), "sent");
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(requested !== undefined && (limit === undefined || requested > limit) ? { requested } : {}),
  };
}

/** Valid only if more was sent than fits; otherwise, the numbers mean something else. */
function countsOf({ sent, more = 0, over, limit }: PhraseMatch["numbers"]): TokenCounts | undefined {
  const requested = sent === undefined && limit !== undefined && over !== undefined ? limit + over : sent;
  if (!isCount(limit) || requested === undefined || !isCount(requested + more)) return undefined;
  return requested + more >= limit ? { limit, requested: requested + more } : undefined;
}

function firstCount(matches: Iterable<PhraseMatch>, name: string): number | undefined {
  for (const { numbers } of matches) if (isCount(numbers[name])) return numbers[name];
  return undefined;
}

function isCount(count: number | undefined): count is number {
  return count !== undefined && Number.isSafeInteger(count) && count >= smallest;
}

const outputLimits = new PhraseTable(`
  OpenAI, Mistral: supports|allows|accepts|generate … #limit … token
  Anthropic, DeepSeek, Groq: less than or equal … #limit; at most … #limit; no|not more than #limit; not exceed … #limit; up to #limit; greater|larger|more than #limit; <= #limit; ≤ #limit
  DashScope, DeepSeek: between|range|in … #low and|to #limit; between|range|in … #low #limit
  Anthropic: > #limit
  Cohere: maximum … #limit
`);

/** The largest number of output tokens that the server accepts, from the message that rejects a larger one. */
export function readOutputLimit(message: string): number | undefined {
  for (const { numbers } of outputLimits.matches(readWords(message)))
    if (numbers["limit"] !== undefined && numbers["limit"] > 0) return numbers["limit"];
  return undefined;
}

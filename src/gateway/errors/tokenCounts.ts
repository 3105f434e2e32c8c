import type { TokenCounts } from "../../core/kernel/errors.ts";

const number = String.raw`(\d[\d,_ ]{0,12}\d|\d)`;

/** Sentences that contain both numbers. The group that comes first in `order` is the number of tokens sent. */
const pairs: readonly (readonly [pattern: RegExp, order: "sentFirst" | "limitFirst"])[] = [
  [
    pattern(
      `passed ${number} input tokens and requested \\d{1,9} output tokens[^\\d]{0,60}context length is (?:only )?${number}`,
    ),
    "sentFirst",
  ],
  [pattern(`token limit:? ${number} \\(requested:? ${number}\\)`), "limitFirst"],
  [pattern(`length ${number} while limit (?:is )?${number}`), "sentFirst"],
  [
    pattern(`${number} tokens? ?(?:>=?|exceeds?|is (?:more|greater|longer) than) ?(?:the )?${number}`),
    "sentFirst",
  ],
  [pattern(`token count \\(?${number}\\)? exceeds [\\w ]{0,60}\\(?${number}`), "sentFirst"],
  [
    pattern(
      `\\(${number}(?: tokens)?\\)[^\\d]{0,80}(?:less than|longer than|larger than|exceeds?)[^\\d]{0,80}${number}`,
    ),
    "sentFirst",
  ],
  [pattern(`\\((?:length|len) ${number}\\)[^\\d]{0,80}${number}`), "sentFirst"],
  [
    pattern(
      `(?:contains|has|have|with|passed|of) ${number} (?:input )?tokens[^\\d]{0,20}(?: \\d+ draft tokens)?[^\\d]{0,80}${number}`,
    ),
    "sentFirst",
  ],
  [pattern(`${number} ?>=? ?(?:n_ctx:? ?)?${number}`), "sentFirst"],
  [pattern(`limit:? ${number},(?: used:? \\d+,)? requested:? ${number}`), "limitFirst"],
  [
    pattern(`(?:<=?|less than|at most|maximum of|up to) ${number}[^\\d]{0,20}given:? ${number}`),
    "limitFirst",
  ],
  [
    pattern(
      `(?:tokens to keep|first) [^\\d]{0,60}${number}[^\\d]{0,120}context length of (?:only )?${number}`,
    ),
    "sentFirst",
  ],
];

const sums = pattern(`${number} ?\\+ ?${number} ?> ?${number}`);
const given = pattern("given:? " + number + " `?inputs`? tokens and " + number);
const range = pattern(`\\[\\d+, ?${number}\\]`);
const limits = [
  pattern(
    `(?:context (?:length|window|size|limit)|max(?:imum)?(?: \\w+){0,3}(?: length| tokens| size)?|max size|n_ctx|at most|limit)(?: is| of|:|=)?(?: only)? ?${number}`,
  ),
  pattern(`${number}(?:[- ]tokens?)? (?:maximum|context (?:length|window|size|limit))`),
];
const sent = [
  pattern(
    `(?:requested (?:a total of |about )?|resulted in |you sent |request has |input has |prompt has |prompt is |messages have |current length is |contains )${number}`,
  ),
];
/** Smaller numbers count something else. */
const smallest = 16;
const longestWords = 2_000;

/** The numbers in a server's message that rejects a request as too long; empty if it contains none. */
export function readTokenCounts(words: string): TokenCounts {
  const text = words.slice(0, longestWords);
  return readSums(text) ?? readPair(text) ?? readEach(text);
}

const outputLimits: readonly RegExp[] = [
  pattern(
    `(?:supports|allows|accepts|generate)(?: a maximum of| up to| at most)? ${number} (?:completion |output |new )?tokens`,
  ),
  pattern(
    `(?:less than or equal to|at most|no more than|not exceed|up to|cannot be (?:greater|larger|more) than|<=|≤)[^\\d]{0,30}${number}`,
  ),
  pattern(`(?:between|range|in)[^\\d]{0,20}\\d{1,3}(?: and|,| to|\\.\\.|-)[^\\d]{0,10}${number}`),
  pattern(`> ?${number}`),
  pattern(`maximum[^\\d]{0,60}${number}`),
];

/** The largest number of output tokens that the server accepts, from the message that rejects a larger one. */
export function readOutputLimit(words: string): number | undefined {
  const text = words.slice(0, longestWords);
  return outputLimits
    .map((limit) => toNumber(limit.exec(text)?.[1]))
    .find((count) => count !== undefined && count > 0);
}

function readSums(text: string): TokenCounts | undefined {
  const [, input, output, limit] = (sums.exec(text) ?? []).map(toNumber);
  if (input !== undefined && output !== undefined && limit !== undefined) {
    return check({ requested: input + output, limit });
  }
  const [, inputs, more] = (given.exec(text) ?? []).map(toNumber);
  const limitOfSum = toNumber(limits[0]?.exec(text)?.[1] ?? /<= ?(\d+)/.exec(text)?.[1]);
  if (inputs === undefined || more === undefined || limitOfSum === undefined) return undefined;
  return check({ requested: inputs + more, limit: limitOfSum });
}

function readPair(text: string): TokenCounts | undefined {
  for (const [pattern, order] of pairs) {
    const [, first, second] = (pattern.exec(text) ?? []).map(toNumber);
    if (first === undefined || second === undefined) continue;
    const counts =
      order === "sentFirst" ? { requested: first, limit: second } : { requested: second, limit: first };
    const checked = check(counts);
    if (checked?.requested !== undefined) return checked;
  }
  return undefined;
}

function readEach(text: string): TokenCounts {
  const limit =
    limits.map((limit) => toNumber(limit.exec(text)?.[1])).find(isCount) ?? toNumber(range.exec(text)?.[1]);
  const requested = sent.map((sent) => toNumber(sent.exec(text)?.[1])).find(isCount);
  const counts = {
    ...(isCount(limit) ? { limit } : {}),
    ...(isCount(requested) && (limit === undefined || requested > limit) ? { requested } : {}),
  };
  return counts;
}

/** Valid only if more was sent than fits; otherwise, the numbers mean something else. */
function check({ limit, requested }: Required<TokenCounts>): TokenCounts | undefined {
  if (!isCount(limit) || !isCount(requested)) return undefined;
  return requested >= limit ? { limit, requested } : undefined;
}

function isCount(count: number | undefined): count is number {
  return count !== undefined && Number.isSafeInteger(count) && count >= smallest;
}

function toNumber(text: string | undefined): number | undefined {
  const digits = text?.replace(/[,_ ]/g, "") ?? "";
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined;
}

function pattern(source: string): RegExp {
  return new RegExp(source, "i");
}

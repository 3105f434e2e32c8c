/** A kind of stream that servers really send. */
export interface StreamShape {
  readonly name: string;
  /** Bytes of an HTTP chunk; undefined if each event is a separate chunk. */
  readonly chunkBytes?: number;
  /** The text of one event, without the blank line that ends it. */
  readonly event: (index: number) => string;
  readonly lineEnd?: "\r\n";
  /** The type of the deltas; text if undefined. */
  readonly kind?: "reasoning" | "toolCall";
  /** Number of short events that cause as much work as one event; 1 if undefined. */
  readonly weight?: number;
}

const words =
  ' The| model| returns| tokens| of| very| different| length|,| some| with| a|\n|\n\n|.|  | "quoted"| and| code| `x`| =| 42|;| naïve| 日本| —| I|\'s|ing| supercalifragilistic'.split(
    "|",
  );
const fragments = [
  '{"',
  "path",
  '":"',
  "/src",
  "/main",
  ".ts",
  '","',
  "line",
  '":',
  " 4",
  "2",
  "}",
  "\\n",
  " the",
];

/** The text of a token: the same list again and again, in an order that seems random. */
function wordAt(index: number): string {
  return words[(index * 7 + (index >> 3)) % words.length] ?? "";
}

interface Variation {
  readonly delta?: object;
  readonly choice?: object;
  readonly more?: object;
}

function chunk(index: number, { delta, choice, more }: Variation = {}): object {
  return {
    id: "chatcmpl-0123456789abcdef01234567",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "organization/model-name",
    choices: [{ index: 0, delta: delta ?? { content: wordAt(index) }, finish_reason: null, ...choice }],
    ...more,
  };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}`;
}

/** Text as written by Python's `json.dumps`: spaces after commas and colons, everything but ASCII escaped. */
function pythonData(index: number): string {
  const text = JSON.stringify(chunk(index, { delta: { content: `${wordAt(index)}é` } }));
  const spaced = text.replace(/(?<=[\w"}\]])([,:])(?=["\d[{n])/g, "$1 ");
  return `data: ${spaced.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}`;
}

function tokenLogprob(index: number): object {
  const token = wordAt(index);
  return { token, logprob: -((index * 7919) % 10_000) / 1234.5, bytes: [...Buffer.from(token)] };
}

function logprobs(index: number, others = 1): object {
  const top = Array.from({ length: others + 1 }, (_, place) => tokenLogprob(index + 5 * place));
  return { logprobs: { content: [{ ...tokenLogprob(index), top_logprobs: top }] } };
}

function usage(index: number): object {
  return { usage: { prompt_tokens: 123, total_tokens: 124 + index, completion_tokens: index + 1 } };
}

function argumentsDelta(index: number): object {
  const fragment = fragments[(index * 5) % fragments.length] ?? "";
  return { tool_calls: [{ index: 0, function: { arguments: fragment } }] };
}

const longText = Array.from({ length: 4_000 }, (_, index) => wordAt(index))
  .join("")
  .slice(0, 16_384);

const chunkBytes = 16_384;

/** The shapes that a decoder must be fast on. */
export const streamShapes: readonly StreamShape[] = [
  { name: "plain, 16 kB HTTP chunks", chunkBytes, event: (index) => data(chunk(index)) },
  { name: "plain, an HTTP chunk an event", event: (index) => data(chunk(index)) },
  {
    name: "reasoning",
    kind: "reasoning",
    event: (index) => data(chunk(index, { delta: { content: null, reasoning_content: wordAt(index) } })),
  },
  { name: "CRLF line ends", lineEnd: "\r\n", event: (index) => data(chunk(index)) },
  { name: "usage in every chunk", event: (index) => data(chunk(index, { more: usage(index) })) },
  { name: "event ids and comments", event: (index) => `: keep-alive\nid: ${index}\n${data(chunk(index))}` },
  {
    name: "named events with another creation time each",
    event: (index) => `event: message\n${data({ ...chunk(index), created: 1_760_000_000 + (index >> 3) })}`,
  },
  {
    name: "tool-call arguments",
    kind: "toolCall",
    event: (index) => data(chunk(index, { delta: argumentsDelta(index) })),
  },
  {
    name: "16 kB deltas",
    chunkBytes,
    // The whole stream must stay below the 8 MB that a response may have.
    weight: 250,
    event: (index) => data(chunk(index, { delta: { content: `${index} ${longText}` } })),
  },
  { name: "escaped characters and blanks", event: pythonData },
  {
    name: "logprobs, top 5, in 16 kB HTTP chunks",
    chunkBytes,
    event: (index) => data(chunk(index, { choice: logprobs(index, 4) })),
  },
  {
    name: "other order of names, another id each",
    event: (index) =>
      data({
        ...{
          choices: [{ finish_reason: null, delta: { content: wordAt(index), role: "assistant" }, index: 0 }],
        },
        ...{ usage: null, model: "m", system_fingerprint: null, id: `gen-${index * 7919}` },
      }),
  },
];

/** A shape's events one after the other, as bytes. */
export function createEvents(
  { event, lineEnd = "\n" as "\r\n" }: StreamShape,
  count: number,
): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(`${event(index).replaceAll("\n", lineEnd)}${lineEnd}${lineEnd}`),
  );
}

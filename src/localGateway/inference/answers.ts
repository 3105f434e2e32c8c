import { isRecord } from "../../core/json.ts";
import { HttpFailure } from "../http/reply.ts";
import { seededRandom } from "../seededRandom.ts";
import { say, think, tokens } from "./answer.ts";
import type { Answer, AnswerStep } from "./answer.ts";
import type { ChatRequest } from "./chatRequest.ts";
import { echoText } from "./echo.ts";
import { instanceOf } from "./jsonInstance.ts";
import { endlessMarkdown, showcaseText } from "./showcase.ts";

/** What the demo models remember from request to request. */
export interface DemoState {
  readonly seed: number;
  /** How often the rate-limited model has refused since it last answered. */
  refusals: number;
}

const longestSilenceMs = 600_000;

/** The answer of the request's model. Throws the refusal where the model refuses. */
export function createAnswer(request: ChatRequest, state: DemoState): Answer {
  const { steps, finishReason } = createWholeAnswer(request, state);
  if (request.maxTokens === undefined) return { steps, finishReason };
  const limited = [...take(steps, request.maxTokens + 1)];
  return limited.length > request.maxTokens
    ? { steps: limited.slice(0, request.maxTokens), finishReason: "length" }
    : { steps: limited, finishReason };
}

function createWholeAnswer(request: ChatRequest, state: DemoState): Answer {
  switch (request.model.behaviour) {
    case "echo":
      return spoken(longText(request, state) ?? say(echoText(request)));
    case "showcase":
      return spoken(longText(request, state) ?? say(showcaseText()));
    case "reasoning":
      return spoken(reason(request));
    case "tools":
      return callTool(request);
    case "json":
      return spoken(say(writeJson(request)));
    case "rateLimit":
      return limitRate(request, state);
    case "brokenStream":
      return spoken(breakStream());
    case "truncation":
      return spoken(truncate());
    case "silence":
      return spoken(keepSilent());
  }
}

function spoken(steps: Iterable<AnswerStep>): Answer {
  return { steps, finishReason: "stop" };
}

/** "… 5000 tokens …" in the last message asks for an answer of that length. */
function longText(request: ChatRequest, state: DemoState): Iterable<AnswerStep> | undefined {
  const wanted = /\b(\d{1,7}) tokens\b/.exec(lastText(request))?.[1];
  return wanted === undefined ? undefined : longAnswer(Number(wanted), state.seed);
}

function* longAnswer(count: number, seed: number): Generator<AnswerStep> {
  let left = count;
  for (const text of endlessMarkdown(seededRandom(seed))) {
    for (const token of tokens(text)) {
      if (left-- <= 0) return;
      yield { type: "text", text: token };
    }
    // What ends a block is white space that no token begins with.
    yield { type: "text", text: "\n" };
  }
}

function* reason(request: ChatRequest): Generator<AnswerStep> {
  yield* think(
    "I am the slow thinker of the local gateway and only pretend to think. First I look at the question. " +
      "Then I wait a little, so that you can see reasoning text come before the answer.",
  );
  yield { type: "pause", ms: 700, keepAlive: true };
  yield* think(" Now I know what to say.");
  yield* say(
    `You asked: “${lastText(request).slice(0, 200)}”. After some thought: this is a demo, so I can't answer that.`,
  );
}

function callTool(request: ChatRequest): Answer {
  const result = request.messages.at(-1);
  if (result?.role === "tool") {
    return spoken(say(`The tool answered:\n\n\`\`\`\n${lastText(request).slice(0, 500)}\n\`\`\`\n`));
  }
  const [name] = request.toolNames;
  if (name === undefined) {
    return spoken(say("I only call tools, and this request offers none. Offer one in `tools`."));
  }
  const call: AnswerStep = {
    type: "toolCall",
    name,
    arguments: JSON.stringify({ input: lastText(request).slice(0, 200) }),
  };
  return { steps: [call], finishReason: "tool_calls" };
}

function writeJson(request: ChatRequest): string {
  const { responseFormat } = request;
  const definition = responseFormat?.["json_schema"];
  const schema = isRecord(definition) ? definition["schema"] : undefined;
  const value =
    schema === undefined ? { demo: true, question: lastText(request).slice(0, 200) } : instanceOf(schema);
  return JSON.stringify(value, undefined, 2);
}

/** Refuses twice with a wait, then answers. */
function limitRate(request: ChatRequest, state: DemoState): Answer {
  if (state.refusals < 2) {
    state.refusals++;
    throw new HttpFailure(
      429,
      {
        error: {
          message: "Rate limit reached for this demo model. Please try again in 2 s.",
          type: "rate_limit_error",
          param: null,
          code: "rate_limit_exceeded",
        },
      },
      { "retry-after": "2", "x-ratelimit-limit-requests": "1", "x-ratelimit-remaining-requests": "0" },
    );
  }
  state.refusals = 0;
  return spoken(
    say(`Two refusals are over; the third try is answered. You asked: “${lastText(request).slice(0, 200)}”.`),
  );
}

function* breakStream(): Generator<AnswerStep> {
  yield* say("This answer begins well, and then the server");
  yield { type: "failure", message: "The demo model fails on purpose in the middle of its answer." };
}

function* truncate(): Generator<AnswerStep> {
  yield* say("This answer is cut on purpose: the connection ends in the middle of");
  yield { type: "cut" };
}

function* keepSilent(): Generator<AnswerStep> {
  yield { type: "pause", ms: longestSilenceMs, keepAlive: false };
  yield* say("That was ten minutes of silence.");
}

function lastText(request: ChatRequest): string {
  const parts = request.messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function* take(steps: Iterable<AnswerStep>, count: number): Generator<AnswerStep> {
  let left = count;
  for (const step of steps) {
    yield step;
    if (--left <= 0) return;
  }
}

import type { AnswerPiece } from "./answerPiece.ts";
import type { ChatRequest } from "./chatRequest.ts";
import { lastUserText } from "./chatRequest.ts";
import type { DemoState } from "./demoState.ts";
import { echoText } from "./echo.ts";
import { breakStream, keepSilent, limitRate, truncate } from "./faults.ts";
import { jsonText } from "./jsonAnswer.ts";
import { longMarkdown, showcaseText } from "./showcase.ts";
import { callTools } from "./toolAnswer.ts";
import { finish, say, splitTokens, think } from "./tokens.ts";

/**
 * The answer of the request's model, made piece by piece as it is pulled. Throws the refusal where the model refuses.
 * Nothing but the request, the seed and the count of refusals decides what it says.
 */
export function createAnswer(request: ChatRequest, state: DemoState): Iterable<AnswerPiece> {
  switch (request.model.behaviour) {
    case "echo":
      return speak(longText(request, state) ?? splitTokens(echoText(request)));
    case "showcase":
      return speak(longText(request, state) ?? splitTokens(showcaseText()));
    case "reasoning":
      return reason(request);
    case "tools":
      return callTools(request, state);
    case "json":
      return speak(splitTokens(jsonText(request, state)));
    case "rateLimit":
      return limitRate(request, state);
    case "brokenStream":
      return breakStream();
    case "truncation":
      return truncate(request);
    case "silence":
      return keepSilent(request);
  }
}

function* speak(tokens: Iterable<string>): Generator<AnswerPiece> {
  for (const text of tokens) yield { type: "text", text };
  yield finish();
}

/** "… 5000 tokens …" in the user's last message asks for an answer of exactly that length. */
function longText(request: ChatRequest, state: DemoState): Iterable<string> | undefined {
  const wanted = /\b(\d{1,7}) tokens\b/.exec(lastUserText(request))?.[1];
  return wanted === undefined ? undefined : longMarkdown(Number(wanted), state.seed);
}

function* reason(request: ChatRequest): Generator<AnswerPiece> {
  yield* think(
    "I am the slow thinker of the local gateway and only pretend to think. First I look at the question. " +
      "Then I wait a little, so that you can see reasoning text come before the answer.",
  );
  yield { type: "comment", text: "keep-alive" };
  yield { type: "silence", ms: 700 };
  yield* think(" Now I know what to say.");
  const question = lastUserText(request).slice(0, 200);
  yield* say(`You asked: “${question}”. After some thought: this is a demo, so I can't answer that.`);
  yield finish();
}

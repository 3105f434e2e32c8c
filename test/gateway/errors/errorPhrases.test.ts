import assert from "node:assert/strict";
import type { ErrorReason } from "../../../src/core/kernel/errors.ts";
import { createResponseError } from "../../../src/gateway/http/errorResponse.ts";
import { PhraseTable, readWords } from "../../../src/gateway/errors/phrases.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";

/** Status, message or body, reason, and the limit and the number of tokens, or the parameter. */
type Row = readonly [status: number, words: string, reason: ErrorReason, detail?: string];

const rows: readonly Row[] = [
  [400, "prompt too long; exceeded max context length by 1119046 tokens", "contextLength"],
  [
    400,
    "Requested generation length 512 is not possible! The provided prompt is 8100 tokens long, so generating 512 tokens requires a sequence length of 8612, but the maximum supported sequence length is just 8192!",
    "contextLength",
    "8192/8612",
  ],
  [400, "prompt_too_long: 9001 > 8192", "contextLength", "8192/9001"],
  [400, "Invalid value: 'input_audio'. Supported values are: 'text', 'image_url'.", "unsupportedInput"],
  [400, "messages.2.content.0: images are not permitted", "unsupportedInput"],
  [400, "messages[1].content: expected a string", "unsupportedInput"],
  [400, "Input is 523 tokens over the limit.", "contextLength"],
  [400, "Your prompt is 1,523 tokens too long.", "contextLength"],
  [400, "Your request is over the model's limit by 523 tokens", "contextLength"],
  [400, "Prompt is 523 tokens over the 8192 token limit", "contextLength", "8192/8715"],
  [413, "Your prompt has 45210 tokens, but the model only supports 32768.", "contextLength", "32768/45210"],
  [400, "The request contains 9,001 tokens; this deployment accepts 8,192.", "contextLength", "/9001"],
  [400, "Input is 9001 tokens but the engine only holds 8192", "contextLength", "8192/9001"],
  [400, "input_tokens (9001) + max_new_tokens (512) must be <= 8192", "contextLength", "8192/"],
  [429, "Your request has 9001 tokens and your tier allows 8192 per minute", "rateLimit"],
  [
    400,
    "Your input exceeds the context window by 523 tokens (limit: 8192 tokens).",
    "contextLength",
    "8192/8715",
  ],
  [400, "The conversation exceeds the context window by 2048 tokens. Reduce the prompt.", "contextLength"],
  [400, "Please reduce your prompt by at least 500 tokens", "contextLength"],
  [400, "Please shorten the input by 500 tokens.", "contextLength"],
  [
    429,
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: 1234, model: claude). For details, refer to: https://docs.anthropic.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    "rateLimit",
  ],
  [
    429,
    "This request would exceed the rate limit for your organization (xxx) of 80,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    "rateLimit",
  ],
  [
    429,
    "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2500. Please try again in 3s.",
    "rateLimit",
  ],
  [
    429,
    "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 35000. The input or output tokens must be reduced in order to run successfully.",
    "contextLength",
    "30000/35000",
  ],
  [429, "Your input token rate of 250,000 tokens/min has been exceeded for this model", "rateLimit"],
  [
    429,
    "Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: claude. Please submit a quota increase request.",
    "rateLimit",
  ],
  [429, "Too many tokens per day, please wait before trying again.", "rateLimit"],
  [429, "Exceeded your input tokens per minute limit of 40,000. Shorten your prompt or wait.", "rateLimit"],
  [429, "You have exceeded the maximum context tokens per minute (TPM) of 60000", "rateLimit"],
  [
    429,
    '{"error":{"message":"Request was rejected due to request rate limiting. Your rate limits are 60 RPM (1 QPS) and 60000 TPM (1000 TPS). Please try again later","type":"credit_limit","param":null,"code":"rate_limit"}}',
    "rateLimit",
  ],
  [
    429,
    '{"error":{"message":"You have reached the rate limit specific to this model meta-llama/Llama-4. The maximum rate limit for this model is 0.6 queries per second. This limit differs from the general rate limits published at Together AI rate limits documentation (https://docs.together.ai/docs/rate-limits). For inquiries about increasing your model-specific rate limit, please contact our sales team","type":"credit_limit","param":null,"code":null}}',
    "rateLimit",
  ],
  [
    429,
    '{"error":{"message":"You have been rate limited. Your rate limit is 60 queries per minute. Please navigate to https://www.together.ai/forms/rate-limit-increase to request a rate limit increase.","type":"credit_limit","param":null,"code":null}}',
    "rateLimit",
  ],
  [429, '{"error":{"message":"Provider returned error","type":"credit_limit"}}', "rateLimit"],
  [402, '{"error":{"message":"Provider returned error","type":"credit_limit"}}', "payment"],
  [
    402,
    '{"error":{"message":"Credit limit exceeded, please navigate to https://api.together.xyz/settings/billing to upgrade your plan.","type":"credit_limit"}}',
    "payment",
  ],
  [
    400,
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "contextLength",
    "131072/537812",
  ],
  [
    400,
    "Requested generation length 4096 is not possible! The provided prompt length is 9000 and the maximum sequence length is 8192",
    "contextLength",
    "8192/9000",
  ],
  [400, "Prompt length (5000) exceeds maximum input length (4096).", "contextLength", "4096/5000"],
  [
    500,
    "The sum of prompt length (5120.0), query length (0) should not exceed max_num_tokens (2048)",
    "contextLength",
    "2048/5120",
  ],
  [
    400,
    "Encountered an error when fetching new request: Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTGptModel logs for how maximum input length is set",
    "contextLength",
    "4096/5000",
  ],
  [
    400,
    "default_max_tokens (-50) should be greater than 0, default_max_tokens (-50) = max_seq_len (8192) - splited_prompt_len (8242)",
    "contextLength",
  ],
  [
    400,
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt",
    "contextLength",
    "4081/5000",
  ],
  [
    400,
    "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
    "contextLength",
    "8192/9000",
  ],
  [400, "prompt token count of 70000 exceeds the limit of 64000", "contextLength", "64000/70000"],
  [
    400,
    "Unable to submit request because the input token count is 40000 but model only supports up to 32767. Reduce the input token count and try again. You can also use the CountTokens API to calculate prompt token count and billable characters.",
    "contextLength",
    "32767/40000",
  ],
  [
    400,
    "the request exceeds the available context size. request (12345 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "contextLength",
    "4096/12345",
  ],
  [400, "The prompt is too long: 9000, model maximum context length: 8191", "contextLength", "8191/9000"],
  [
    400,
    "Invalid input: the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
    "contextLength",
    "4096/5000",
  ],
  [400, "Prompt length 5000 is greater than max_seq_len 4096", "contextLength", "4096/5000"],
  [
    400,
    "The estimated number of input and maximum output tokens (120000) exceeded this model context window limit (100000).",
    "contextLength",
    "100000/120000",
  ],
  [400, "tokens_limit exceeded; invalid params, context window exceeds limit (2013)", "contextLength"],
  [400, "prompt tokens too long, must be <= 5120", "contextLength", "5120/"],
  [400, "max tokens of 32768 exceeded", "contextLength", "32768/"],
  [400, "Input length 5012 exceeds the maximum allowed input length of 4096.", "contextLength", "4096/5012"],
  [
    400,
    "The input length (300000) exceeds the model's maximum context length (262144)",
    "contextLength",
    "262144/300000",
  ],
  [413, "Request Entity Too Large", "badRequest"],
  [413, "Payload too large", "badRequest"],
  [400, "input length exceeds maximum context length", "contextLength"],
  [
    404,
    "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
    "unknownModel",
  ],
  [
    404,
    '{"message":"This model version has reached the end of its life. Please refer to the AWS documentation for more details."}',
    "unknownModel",
  ],
  [
    404,
    "The model `gpt-3.5-turbo-0301` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations",
    "unknownModel",
  ],
  [
    400,
    "The model `llama2-70b-4096` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.",
    "unknownModel",
  ],
  [
    404,
    "model 'command-xlarge' was removed on September 15, 2025. See https://docs.cohere.com/docs/models for replacements.",
    "unknownModel",
  ],
  [410, "The model is EOL", "unknownModel"],
  [410, '{"error":"Gone"}', "unknownModel"],
  [410, "", "unknownModel"],
  [404, "models/gemini-1.0-pro is no longer available. Please switch to gemini-2.5", "unknownModel"],
  [
    404,
    "Gemini 1.0 Pro has been deprecated on July 12, 2024. Consider switching to different model, for example gemini-1.5-flash.",
    "unknownModel",
  ],
  [400, "This model has been retired. Use grok-4 instead.", "unknownModel"],
  [400, "This snapshot has been sunset.", "unknownModel"],
  [400, "The requested model was shut down on 2025-10-01", "unknownModel"],
  [
    404,
    "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
    "unknownModel",
  ],
  [400, "Model claude-2 has been discontinued", "unknownModel"],
  [400, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_CSAM", "contentFilter"],
  [
    400,
    '{"error":{"code":400,"message":"The prompt was blocked: PROHIBITED_CONTENT","status":"INVALID_ARGUMENT"}}',
    "contentFilter",
  ],
  [400, '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}', "contentFilter"],
  [400, "Request blocked by Gemini: PROHIBITED_CONTENT", "contentFilter"],
  [400, "Guardrail intervened", "contentFilter"],
  [400, "blocked output: please consider adjusting your prompt", "contentFilter"],
  [400, "Your request was rejected as a result of our safety system.", "contentFilter"],
  [403, "Your credit balance is too low", "payment"],
  [429, "You exceeded your current quota, please check your plan and billing details.", "payment"],
  [
    429,
    "You exceeded your current quota, please check your plan and billing details. Please retry in 30.2s.",
    "rateLimit",
  ],
  [
    429,
    '{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-01-05 10:00:00"}}',
    "rateLimit",
  ],
  [
    429,
    '{"error":{"code":"1302","message":"High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits"}}',
    "rateLimit",
  ],
  [429, "ThrottlingException: Too many requests, please wait before trying again.", "rateLimit"],
  [429, "Too Many Requests", "rateLimit"],
  [403, "User is not authorized to perform: bedrock:InvokeModel on resource", "forbidden"],
  [402, "This request requires more credits, or fewer max_tokens.", "payment"],
  [400, 'Unexpected role "tool" after role "user"', "badRequest"],
  [400, "messages: at least one message is required", "badRequest"],
  [400, "Invalid value: 'foo'. Supported values are: 'system', 'assistant', 'user'.", "badRequest"],
  [500, "Internal server error", "unavailable"],
  [500, "CUDA out of memory", "unavailable"],
  [503, "Service temporarily overloaded", "overloaded"],
  [404, "The requested URL /v2/chat was not found on this server.", "notFound"],
  [400, "`temperature` is deprecated for this model.", "unsupportedParameter", "temperature"],
  [400, "min_p is not supported by this endpoint", "unsupportedParameter", "min_p"],
  [
    400,
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet",
    "unsupportedParameter",
    "max_tokens",
  ],
  [
    400,
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    "unsupportedParameter",
    "max_tokens",
  ],
  [400, "Unknown parameter: 'seed'.", "unsupportedParameter", "seed"],
  [400, "Extra inputs are not permitted: stream_options", "unsupportedParameter", "stream_options"],
  [400, "Tool choice is none, but model called a tool", "badRequest"],
  [400, "This model does not support tools.", "unsupportedParameter", "tools"],
  [
    400,
    "Invalid request: parallel_tool_calls is not supported",
    "unsupportedParameter",
    "parallel_tool_calls",
  ],
  [401, "Invalid API Key", "apiKey"],
  [403, "The API key is disabled", "apiKey"],
  [429, "Concurrency limit exceeded: at most 5 concurrent requests", "rateLimit"],
  [429, "Your account's concurrent request limit has been reached", "rateLimit"],
  [429, "Max RPM reached", "rateLimit"],
  [402, "Insufficient balance", "payment"],
  [400, "Requested tokens (4101) exceed context window of 4096", "contextLength", "4096/4101"],
  [
    400,
    "Reached context length of 4096 tokens with model phi2 which does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat.",
    "contextLength",
    "4096/",
  ],
  [
    500,
    "Token indices sequence length is longer than the specified maximum sequence length for this model (5000 > 4096)",
    "contextLength",
    "4096/5000",
  ],
  [400, "total tokens 8250 exceeds model limit 8192", "contextLength", "8192/8250"],
  [
    400,
    "Input tokens exceed the configured limit of 128000 tokens. Your messages resulted in 130000 tokens. Please reduce the length of the messages.",
    "contextLength",
    "128000/130000",
  ],
];

describe("The words of an error", () => {
  for (const [statusCode, words, reason, detail] of rows) {
    it(`say what went wrong: ${statusCode} ${words}`, () => {
      const body = words.startsWith("{") ? words : JSON.stringify({ error: { message: words } });
      const url = new URL("https://service.example/v1/chat/completions");
      const response = { statusCode, headers: {}, receivedAt: 0 };
      const context = { kind: "inference", method: "POST", url } as const;
      const { facts } = createResponseError(response, parseErrorText(body), body, context);
      assert.equal(facts.reason, reason, facts.message);
      const { limit = "", requested = "" } = facts.tokens ?? {};
      const isNamed = detail !== undefined || reason === "contextLength";
      if (isNamed) assert.equal(facts.parameter ?? `${limit}/${requested}`, detail ?? "/", facts.message);
    });
  }
});

describe("A phrase of an error table", () => {
  for (const [phrase, words, isIn] of [
    ["not supported", "Isn’t supported", true],
    ["can not exceed", "The sum can't exceed it", true],
    ["model … retired", "The model 'x/y-1.5' was retired.", true],
    ["model … retired", "The model is new. Others were retired.", false],
    ["model … . … retired", "The model is new. Others were retired.", true],
    ["overload*", "Overloaded", true],
    ["busy|loading", "unloading", false],
    ["^ limit exceeded", "The limit exceeded", true],
    ["^ limit exceeded", "Credit limit exceeded", false],
    ["额度不足", "您的额度不足。", true],
    ["rate limit", "see https://example.com/rate limit", false],
    ["tokens per *", "60,000 tokens/min", true],
  ] as const)
    it(`${isIn ? "is" : "isn't"} found: ${phrase} in ${words}`, () =>
      assert.equal(new PhraseTable(`Server: ${phrase}`).isIn(readWords(words)), isIn));

  it("gives numbers and names", () => {
    const [match] = new PhraseTable("Server: field @ … over #limit").matches(
      readWords("The field `max_tokens` is over 12,345."),
    );
    assert.deepEqual(match, { numbers: { limit: 12_345 }, name: "max_tokens" });
  });

  it("is searched in time linear in the length of the message", () => {
    const table = new PhraseTable("Server: a … b … c … d");
    const words = (count: number) => readWords("a b c ".repeat(count));
    assert.equal(words(100_000).length, words(10_000).length);
    assert.ok(!table.isIn(words(10_000)));
  });
});

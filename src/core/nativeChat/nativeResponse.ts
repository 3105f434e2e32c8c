import { t } from "@vscode/l10n";
import type { CompletionEvent, ProviderFields, ToolCall, Usage } from "../conversation/completion.ts";
import type { JsonObject } from "../kernel/json.ts";
import { withCallIds } from "../conversation/streamingResponse.ts";
import { describeEnding, emptyResponse, endingOf } from "../conversation/finishReason.ts";
import { sourcesMarkdown } from "../conversation/sources.ts";
import type { Source } from "../conversation/sources.ts";
import { ServiceError } from "../kernel/errors.ts";
import { openFence } from "../kernel/foreignText.ts";
import { parseInput } from "./nativeRequest.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** A part of a response as VS Code's language model API represents it, as plain data. */
export type NativeResponsePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: JsonObject }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | { readonly type: "usage"; readonly usage: JsonObject };

/** Turns the events of one completion into the parts of a response. */
export class NativeResponse {
  readonly #calls = new Map<number, ToolCall>();
  #providerFields: ProviderFields | undefined;
  #text = "";
  #hasReasoning = false;
  #sources: readonly Source[] = [];
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  readonly #contextLength: number | undefined;

  /** @param contextLength The tokens that the model can read, if known. */
  constructor(contextLength?: number) {
    this.#contextLength = contextLength;
  }

  /** The parts that can be shown at once. */
  read(event: CompletionEvent): readonly NativeResponsePart[] {
    switch (event.type) {
      case "text":
        this.#text += event.text;
        return [{ type: "text", text: event.text }];
      case "reasoning":
        this.#hasReasoning = true;
        return [{ type: "reasoning", text: event.text }];
      case "toolCall":
        this.#addCall(event);
        return [];
      case "providerFields":
        this.#providerFields = event;
        return [];
      case "usage":
        this.#usage = event.usage;
        return [];
      case "finish":
        this.#finishReason = event.reason ?? undefined;
        return [];
      case "sources":
        this.#sources = event.sources;
        return [];
      case "reasoningEnd":
      case "settling":
        return [];
    }
  }

  /**
   * The parts that are only complete at the end. Throws a ServiceError if the response contains neither text nor tool
   * calls, because VS Code would show nothing.
   */
  finish(): readonly NativeResponsePart[] {
    const end = closingLine(this.#finishReason);
    const sources = sourcesMarkdown(this.#sources);
    const named = [...this.#calls.values()].filter(({ name, arguments: text }) => name + text !== "");
    const hasText = this.#text.trim() !== "";
    if (!hasText && named.length === 0)
      throw new ServiceError(
        emptyResponse({
          ...{ finishReason: this.#finishReason, hasReasoning: this.#hasReasoning },
          ...{ usage: this.#usage, contextLength: this.#contextLength },
        }),
      );
    // A call of a response that was cut off isn't run, and would be cut off again.
    const calls = end === undefined ? withCallIds("call", named) : [];
    const fence = end === undefined && sources === "" ? undefined : openFence(this.#text);
    return [
      ...(fence === undefined ? [] : [{ type: "text", text: `\n${fence}` } as const]),
      ...(sources === "" ? [] : [{ type: "text", text: sources } as const]),
      ...(end === undefined ? [] : [{ type: "text", text: hasText ? `\n\n${end}` : end } as const]),
      ...this.#returned(calls),
      ...calls.map(
        ({ id, name, arguments: text }) =>
          ({ type: "toolCall", id, name, input: inputOf(name, text) }) as const,
      ),
      ...(this.#usage === undefined ? [] : [{ type: "usage", usage: usageJson(this.#usage) } as const]),
    ];
  }

  #addCall(event: Extract<CompletionEvent, { readonly type: "toolCall" }>): void {
    const { index, id, name, extra } = event;
    const before = this.#calls.get(index) ?? { id: id ?? "", name: "", arguments: "" };
    this.#calls.set(index, {
      ...before,
      ...(id === undefined ? {} : { id }),
      name: before.name + (name ?? ""),
      arguments: before.arguments + event.arguments,
      ...(extra === undefined ? {} : { extra }),
    });
  }

  /** Reasoning models need their reasoning back with the results of their tool calls. VS Code returns it with this. */
  #returned(calls: readonly ToolCall[]): readonly NativeResponsePart[] {
    const signed = calls.filter(({ extra }) => extra !== undefined);
    if (calls.length === 0 || (this.#providerFields === undefined && signed.length === 0)) return [];
    const { baseUrl, model, reasoningNames, members } = this.#providerFields ?? {};
    const metadata: JsonObject = {
      ...(baseUrl === undefined || model === undefined
        ? {}
        : { providerFields: filledFields({ baseUrl, model, reasoningNames, members }) }),
      toolCalls: signed.map(({ id, name, extra = {} }) => ({ id, name, arguments: "", extra })),
    };
    return [{ type: "reasoning", text: "", metadata }];
  }
}

/** What follows a response that would otherwise look complete. */
function closingLine(finishReason: string | undefined): string | undefined {
  const ending = endingOf(finishReason);
  if (ending === undefined || ending === "complete" || ending === "tools") return undefined;
  return t("*The response is incomplete: {0}.*", describeEnding(finishReason) ?? "");
}

/** VS Code's context ring and totals use these names. */
function usageJson(usage: Usage): JsonObject {
  const { promptTokens = 0, completionTokens = 0, cachedTokens, reasoningTokens } = usage;
  return filledFields({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: usage.totalTokens ?? promptTokens + completionTokens,
    prompt_tokens_details: cachedTokens === undefined ? undefined : { cached_tokens: cachedTokens },
    completion_tokens_details:
      reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  });
}

function inputOf(name: string, text: string): JsonObject {
  const input = parseInput(text);
  if (input !== undefined) return input;
  throw new ServiceError({
    reason: "malformed",
    message: t(
      "The model called the tool “{0}” with arguments that aren't a JSON object. Send the message again.",
      name,
    ),
  });
}

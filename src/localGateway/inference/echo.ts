import type { ChatMessage, ChatRequest, MessagePart } from "./chatRequest.ts";
import { readPictureFacts } from "./pictureSize.ts";
import { readRecordingSeconds } from "./recordingLength.ts";

const longestQuote = 2_000;

/** Says what arrived: honest about being an echo. */
export function echoText(request: ChatRequest): string {
  const { messages, maxTokens, parameterNames, toolNames } = request;
  const last = messages.at(-1);
  const facts = [
    `- ${count(messages.length, "message")}: ${messages.map(({ role }) => role).join(", ")}`,
    ...(maxTokens === undefined ? [] : [`- \`max_tokens\`: ${maxTokens}`]),
    ...(parameterNames.length === 0
      ? []
      : [`- further parameters: ${parameterNames.map((name) => `\`${name}\``).join(", ")}`]),
    ...(toolNames.length === 0 ? [] : [`- tools: ${toolNames.map((name) => `\`${name}\``).join(", ")}`]),
    ...(last === undefined ? [] : describeParts(last)),
  ];
  return `I am the echo of the local gateway, not a language model. This arrived:\n\n${facts.join("\n")}\n\n${quote(last)}`;
}

function describeParts(message: ChatMessage): readonly string[] {
  return message.parts.flatMap((part) => {
    const fact = describePart(part);
    return fact === undefined ? [] : [`- ${fact}`];
  });
}

function describePart(part: MessagePart): string | undefined {
  switch (part.type) {
    case "text":
      return `text: ${count(part.text.length, "character")}`;
    case "picture": {
      const facts = readPictureFacts(part.bytes);
      const size = `${count(part.bytes.length, "byte")}`;
      return facts === undefined
        ? `picture of an unknown format, ${size}`
        : `picture: ${facts.format}, ${facts.width} × ${facts.height} pixels, ${size}`;
    }
    case "recording": {
      const seconds = readRecordingSeconds(part.format, part.bytes);
      const length = seconds === undefined ? "of unknown length" : `${seconds.toFixed(1)} s`;
      return `recording: ${part.format}, ${length}, ${count(part.bytes.length, "byte")}`;
    }
  }
}

function quote(message: ChatMessage | undefined): string {
  const text = (message?.parts ?? [])
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .slice(0, longestQuote);
  return text === "" ? "" : text.replace(/^/gm, "> ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

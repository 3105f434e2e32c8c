import type { ChatMessage, ChatPart, ChatRequest } from "./chatRequest.ts";
import { textOf } from "./chatRequest.ts";

const longestQuote = 2_000;

/** Says what arrived: honest about being an echo. */
export function echoText(request: ChatRequest): string {
  const { messages, parameters, tools } = request;
  const facts = [
    `- model: \`${request.model.id}\``,
    `- ${count(messages.length, "message")}: ${messages.map(({ role }) => role).join(", ")}`,
    ...Object.entries(parameters).map(([name, value]) => `- \`${name}\`: \`${JSON.stringify(value)}\``),
    ...(tools.length === 0 ? [] : [`- tools: ${tools.map(({ name }) => `\`${name}\``).join(", ")}`]),
  ];
  const intro = "I am the echo of the local gateway, not a language model. This arrived:";
  return [`${intro}\n\n${facts.join("\n")}`, ...messages.map(describeMessage)].join("\n\n");
}

function describeMessage(message: ChatMessage, index: number): string {
  const { role, name, parts, toolCalls, toolCallId } = message;
  const facts = [
    ...parts.map(describePart),
    ...toolCalls.map((call) => `tool call \`${call.id}\`: \`${call.name}(${call.arguments})\``),
    ...(toolCallId === undefined ? [] : [`answers the tool call \`${toolCallId}\``]),
  ];
  const title = `**${index + 1}. ${role}${name === undefined ? "" : ` (${name})`}**`;
  const list = facts.length === 0 ? "" : `\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
  return `${title}${list}${quote(textOf(message))}`;
}

const formatNames = { "image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WebP", "image/gif": "GIF" };

function describePart(part: ChatPart): string {
  switch (part.type) {
    case "text":
      return `text: ${count([...part.text].length, "character")}`;
    case "picture": {
      const { facts, mediaType, bytes } = part;
      if (facts === undefined) return "picture: an address only, which is not fetched";
      const isRight = mediaType.toLowerCase() === facts.mediaType;
      const claim = isRight ? "" : `, sent as ${mediaType || "no media type"}`;
      return `picture: ${formatNames[facts.mediaType]}${claim}, ${facts.width} × ${facts.height} pixels, ${count(bytes, "byte")}`;
    }
    case "recording":
      return `recording: ${part.format}, ${part.seconds.toFixed(1)} s, ${count(part.bytes, "byte")}`;
  }
}

function quote(text: string): string {
  if (text === "") return "";
  const cut = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return `\n\n${cut.replace(/^/gm, "> ")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

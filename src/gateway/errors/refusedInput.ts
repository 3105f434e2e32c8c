import type { UnsupportedInput } from "../../core/kernel/errors.ts";
import { PhraseTable } from "./phrases.ts";
import type { Words } from "./phrases.ts";

/** How servers say what a model can't read besides text. */
const refusals: readonly (readonly [input: UnsupportedInput, phrases: PhraseTable])[] = [
  [
    "audio",
    new PhraseTable(`
      llama.cpp, Google, Mistral: audio|input_audio|speech … not supported|enabled|allowed|available|accepted; audio|input_audio … unsupported
      Fireworks, Bedrock: not support|accept|have … audio|input_audio|speech; unsupported … audio|input_audio
      OpenRouter: no endpoints found … audio
      vLLM: at most 0 audio
      DeepSeek: unknown variant input_audio
      OpenAI: input_audio … only supported; input_audio . supported values are; audio … not permitted
      Ollama: missing data required … audio
      BigModel: 不支持…音频; 不支持…语音
    `),
  ],
  [
    "image",
    new PhraseTable(`
      llama.cpp, Google, xAI, Cohere: image|image_url|vision|picture|multimodal|modal … not supported|enabled|allowed|available|accepted; image|image_url|vision|multimodal … unsupported
      LM Studio, Fireworks, Bedrock, Copilot: not support|accept|have … image|image_url|vision|picture|multimodal|modal; unsupported … image_url|vision
      OpenRouter: no endpoints found … image
      vLLM: at most 0 image; not multimodal|vision; not multi modal
      DeepSeek: unknown variant image_url
      OpenAI: image_url … only supported; image_url . supported values are; image|image_url … not permitted
      Ollama: missing data required … image
      Anthropic: tag image … not match
      MLX: only text content|input|message; only support|accept text
      Groq, servers with Pydantic: messages* must be string; messages* value must be string; messages* expected string; input should be valid string … messages*
      BigModel, DashScope: 不支持…图片; 不支持…图像; 不支持…多模态
    `),
  ],
];

/** The sentence is about one image, or about how it was sent. */
const others = new PhraseTable(`
  OpenAI, Anthropic, Google: format; mime; media type; image|file type; size; too large|big|small; exceed*; dimension; resolution; uploaded; download*; base64
  Google, Cohere: output; generat*
`);

/** What the model can't read according to the server's message; undefined if the message is about something else. */
export function refusedInput(words: Words): UnsupportedInput | undefined {
  const found = refusals.find(([, phrases]) => phrases.isIn(words))?.[0];
  return found === undefined || others.isIn(words) ? undefined : found;
}

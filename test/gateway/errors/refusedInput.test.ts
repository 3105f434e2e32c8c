import assert from "node:assert/strict";
import { readWords } from "../../../src/gateway/errors/phrases.ts";
import { refusedInput } from "../../../src/gateway/errors/refusedInput.ts";

const refusals = {
  image: [
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "image input is not supported by this server",
    "this model is missing data required for image input",
    "No endpoints found that support image input",
    "At most 0 image(s) may be provided in one prompt.",
    "acme/text is not a multimodal model",
    "messages[0]: unknown variant `image_url`, expected `text`",
    "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 204",
    "Model does not support images. Please use a model that does.",
    "Invalid content type. image_url is only supported by certain models.",
    "Image input modality is not enabled for models/gemma-3-1b-it",
    "messages.0.content.1: Input tag 'image' found using 'type' does not match any of the expected tags: 'text'",
    "This model doesn't support the image content block that you provided.",
    "Only 'text' content type is supported.",
    "messages[0].content must be a string",
    "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
    "Image inputs are not supported by this model.",
    "The requested model does not support vision",
    "Multi-modal inputs are not supported for this model",
    "content type 'image_url' is not supported by this model",
    "Input should be a valid string: messages.0.content",
    "image content is not available for this model",
    "当前模型不支持图片输入",
  ],
  audio: [
    "audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "No endpoints found that support input audio",
    "At most 0 audio(s) may be provided in one prompt.",
    "messages[0]: unknown variant `input_audio`, expected `text`",
    "Audio input modality is not enabled for models/gemma-3-1b-it",
  ],
} as const;

/** About one image, or about something else. */
const others = [
  "You uploaded an unsupported image. Please make sure your image has one of the following formats: png, jpeg, gif, webp.",
  "unsupported image format: image/bmp",
  "Image exceeds 5 MB maximum, which is not supported",
  "Could not process image",
  "At most 10 image(s) may be provided in one prompt.",
  "Invalid MIME type. Only image types are supported.",
  "Image dimensions of 9000x9000 are not supported",
  "The parameter `stop` is not supported",
  "stop must be a string",
  "Only audio output is not supported",
  "",
];

describe("A server that can't read an input", () => {
  for (const [input, sentences] of Object.entries(refusals))
    for (const words of sentences)
      it(`is understood: ${words}`, () => {
        assert.equal(refusedInput(readWords(words)), input);
      });

  it("isn't confused with one that rejects a certain image, or something else", () => {
    for (const words of others) assert.equal(refusedInput(readWords(words)), undefined, words);
  });
});

import assert from "node:assert/strict";
import {
  findModalityWarning,
  groupBySenses,
  requiredModalities,
} from "../../../../src/core/compose/attachments/modalities.ts";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";

const image: ContentPart = { type: "image", mediaType: "image/png", data: "" };
const recording: ContentPart = { type: "audio", format: "wav", data: "" };
const text: ContentPart = { type: "text", text: "hello", title: "a.ts" };
const omni = { id: "lab/omni", supportsImages: true, supportsAudio: true };
const seeing = { id: "lab/seeing", supportsImages: true, supportsAudio: false };
const blind = { id: "lab/blind", name: "Blind", supportsImages: false, supportsAudio: false };
const silent = { id: "lab/silent" };
const models = [blind, silent, seeing, omni];

describe("What a model needs for what is attached", () => {
  it("is nothing for text", () => assert.deepEqual(requiredModalities([text]), []));

  it("is sight and hearing", () => {
    assert.deepEqual(requiredModalities([recording, text, image, image]), ["image", "audio"]);
  });

  it("is not spoken of where the model has it, or nothing is attached, or no model is selected", () => {
    assert.equal(findModalityWarning(["image"], omni.id, models), undefined);
    assert.equal(findModalityWarning([], blind.id, models), undefined);
    assert.equal(findModalityWarning(["image"], undefined, models), undefined);
  });

  it("is said to be missing, with whether another model has it", () => {
    assert.deepEqual(findModalityWarning(["image"], blind.id, models), {
      certainty: "no",
      modalities: ["image"],
      message: "Blind doesn't support image input.",
      hasAlternative: true,
    });
    assert.equal(findModalityWarning(["audio"], blind.id, [blind, seeing])?.hasAlternative, false);
  });

  it("names only what is missing", () => {
    const both = ["image", "audio"] as const;
    assert.equal(
      findModalityWarning(both, seeing.id, models)?.message,
      "lab/seeing doesn't support audio input.",
    );
    assert.equal(
      findModalityWarning(both, blind.id, models)?.message,
      "Blind doesn't support image or audio input.",
    );
  });

  it("is not denied to a model whose server is silent about it, or that isn't in the list", () => {
    const message = "lab/silent may not support image input.";
    assert.equal(findModalityWarning(["image"], silent.id, models)?.message, message);
    assert.equal(findModalityWarning(["image"], silent.id, [])?.certainty, "unknown");
  });

  it("is asked for by the messages before, too, as far as the model is known to lack it", () => {
    const warning = findModalityWarning([], blind.id, models, ["image"]);
    assert.equal(warning?.message, "Blind doesn't support the images in this conversation.");
    assert.equal(warning.certainty, "no");
    assert.equal(findModalityWarning([], silent.id, models, ["image"]), undefined);
    assert.equal(
      findModalityWarning(["image"], seeing.id, models, ["audio"])?.message,
      "lab/seeing doesn't support the audio in this conversation.",
    );
  });

  it("puts the models that have it first", () => {
    assert.deepEqual(groupBySenses(models, ["image"]), {
      can: [seeing, omni],
      unknown: [silent],
      cannot: [blind],
    });
  });
});

import assert from "node:assert/strict";
import {
  findModalityWarning,
  groupByModalities,
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

describe("The modalities that attachments require", () => {
  it("are empty for text", () => assert.deepEqual(requiredModalities([text]), []));

  it("are image and audio", () => {
    assert.deepEqual(requiredModalities([recording, text, image, image]), ["image", "audio"]);
  });

  it("cause no warning if the model supports them, nothing is attached or no model is selected", () => {
    assert.equal(findModalityWarning(["image"], omni.id, models), undefined);
    assert.equal(findModalityWarning([], blind.id, models), undefined);
    assert.equal(findModalityWarning(["image"], undefined, models), undefined);
  });

  it("cause a warning that mentions whether another model supports them", () => {
    assert.deepEqual(findModalityWarning(["image"], blind.id, models), {
      certainty: "no",
      modalities: ["image"],
      message: "Blind doesn't support image input.",
      hasAlternative: true,
    });
    assert.equal(findModalityWarning(["audio"], blind.id, [blind, seeing])?.hasAlternative, false);
  });

  it("are named only if the model lacks them", () => {
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

  it("are reported as possibly unsupported if the server doesn't list them or the model is unknown", () => {
    const message = "lab/silent may not support image input.";
    assert.equal(findModalityWarning(["image"], silent.id, models)?.message, message);
    assert.equal(findModalityWarning(["image"], silent.id, [])?.certainty, "unknown");
  });

  it("include those of earlier messages if the model is known not to support them", () => {
    const warning = findModalityWarning([], blind.id, models, ["image"]);
    assert.equal(warning?.message, "Blind doesn't support the images in this conversation.");
    assert.equal(warning.certainty, "earlier");
    assert.equal(findModalityWarning([], silent.id, models, ["image"]), undefined);
    assert.equal(
      findModalityWarning(["image"], seeing.id, models, ["audio"])?.message,
      "lab/seeing doesn't support the audio in this conversation.",
    );
  });

  it("put the models that support them first", () => {
    assert.deepEqual(groupByModalities(models, ["image"]), {
      can: [seeing, omni],
      unknown: [silent],
      cannot: [blind],
    });
  });
});

import assert from "node:assert/strict";
import {
  findSenseWarning,
  groupBySenses,
  sensesOf,
} from "../../../../src/core/compose/attachments/senses.ts";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";

const picture: ContentPart = { type: "image", mediaType: "image/png", data: "" };
const recording: ContentPart = { type: "audio", format: "wav", data: "" };
const text: ContentPart = { type: "text", text: "hello", title: "a.ts" };
const omni = { id: "lab/omni", seesPictures: true, hearsAudio: true };
const seeing = { id: "lab/seeing", seesPictures: true, hearsAudio: false };
const blind = { id: "lab/blind", name: "Blind", seesPictures: false, hearsAudio: false };
const silent = { id: "lab/silent" };
const models = [blind, silent, seeing, omni];

describe("What a model needs for what is attached", () => {
  it("is nothing for text", () => assert.deepEqual(sensesOf([text]), []));

  it("is sight and hearing", () => {
    assert.deepEqual(sensesOf([recording, text, picture, picture]), ["pictures", "recordings"]);
  });

  it("is not spoken of where the model has it, or nothing is attached, or no model is selected", () => {
    assert.equal(findSenseWarning(["pictures"], omni.id, models), undefined);
    assert.equal(findSenseWarning([], blind.id, models), undefined);
    assert.equal(findSenseWarning(["pictures"], undefined, models), undefined);
  });

  it("is said to be missing, with whether another model has it", () => {
    assert.deepEqual(findSenseWarning(["pictures"], blind.id, models), {
      certainty: "no",
      senses: ["pictures"],
      message: "Blind doesn't support image input.",
      hasAlternative: true,
    });
    assert.equal(findSenseWarning(["recordings"], blind.id, [blind, seeing])?.hasAlternative, false);
  });

  it("names only what is missing", () => {
    const both = ["pictures", "recordings"] as const;
    assert.equal(
      findSenseWarning(both, seeing.id, models)?.message,
      "lab/seeing doesn't support audio input.",
    );
    assert.equal(
      findSenseWarning(both, blind.id, models)?.message,
      "Blind doesn't support image or audio input.",
    );
  });

  it("is not denied to a model whose server is silent about it, or that isn't in the list", () => {
    const message = "lab/silent may not support image input.";
    assert.equal(findSenseWarning(["pictures"], silent.id, models)?.message, message);
    assert.equal(findSenseWarning(["pictures"], silent.id, [])?.certainty, "unknown");
  });

  it("is asked for by the messages before, too, as far as the model is known to lack it", () => {
    const warning = findSenseWarning([], blind.id, models, ["pictures"]);
    assert.equal(warning?.message, "Blind doesn't support the images in this conversation.");
    assert.equal(warning.certainty, "no");
    assert.equal(findSenseWarning([], silent.id, models, ["pictures"]), undefined);
    assert.equal(
      findSenseWarning(["pictures"], seeing.id, models, ["recordings"])?.message,
      "lab/seeing doesn't support the audio in this conversation.",
    );
  });

  it("puts the models that have it first", () => {
    assert.deepEqual(groupBySenses(models, ["pictures"]), {
      can: [seeing, omni],
      unknown: [silent],
      cannot: [blind],
    });
  });
});

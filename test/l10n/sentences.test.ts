import { assertTranslated } from "./support/assertTranslated.ts";
import { findSentences } from "./support/findSentences.ts";
import { languages, readTexts } from "./support/readTexts.ts";

describe("Translations", () => {
  const sentences = Object.fromEntries(findSentences().map((sentence) => [sentence, sentence]));

  for (const language of languages) {
    it(`into ${language} contain every message in the code, and no others`, () => {
      assertTranslated(sentences, readTexts(`media/l10n/bundle.l10n.${language}.json`));
    });

    it(`into ${language} contain every text in package.json, and no others`, () => {
      assertTranslated(readTexts("package.nls.json"), readTexts(`package.nls.${language}.json`));
    });
  }
});

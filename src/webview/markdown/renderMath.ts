import type { Token } from "markdown-it";
import { element } from "./tree.ts";
import type { ElementTree } from "./tree.ts";

/**
 * A formula. Its source is shown as text until it is near the viewport and typeset (math/mathTypesetter.ts). The TeX is
 * also an attribute, so that a different formula is a different element, and a typeset one is never patched.
 */
export function renderInlineMath(token: Token): ElementTree {
  return mathElement(token.content.trim(), token.markup, token.info === "display");
}

/** Display math on separate lines. */
export function renderMathBlock(token: Token): ElementTree {
  return element("div", { class: "math-block" }, [mathElement(token.content.trim(), token.markup, true)]);
}

/** An unclosed formula is shown as text. */
export function renderOpenMath(token: Token): ElementTree {
  return element("p", { dir: "auto" }, [token.markup]);
}

function mathElement(tex: string, source: string, isDisplay: boolean): ElementTree {
  const attributes = { class: isDisplay ? "math display" : "math", "data-math": tex, dir: "ltr" };
  return element("span", attributes, [source]);
}

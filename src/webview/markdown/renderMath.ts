import type { Token } from "markdown-it";
import { element } from "./tree.ts";
import type { ElementTree } from "./tree.ts";

/**
 * A formula: its source as text, until it is near to sight and typeset (math/mathTypesetter.ts). The TeX is an attribute too, so
 * that another formula is another element, and a typeset one is never patched.
 */
export function renderInlineMath(token: Token): ElementTree {
  return mathElement(token.content.trim(), token.markup, token.info === "display");
}

/** A display in lines of its own. */
export function renderMathBlock(token: Token): ElementTree {
  return element("div", { class: "math-block" }, [mathElement(token.content.trim(), token.markup, true)]);
}

/** One that isn't closed: text. */
export function renderOpenMath(token: Token): ElementTree {
  return element("p", { dir: "auto" }, [token.markup]);
}

function mathElement(tex: string, source: string, isDisplay: boolean): ElementTree {
  const attributes = { class: isDisplay ? "math display" : "math", "data-math": tex, dir: "ltr" };
  return element("span", attributes, [source]);
}

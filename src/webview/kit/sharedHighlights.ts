/**
 * Makes VS Code's own rules for highlighted text (`::highlight(…)`), which it adds to every page, apply to the root
 * element only. All other elements inherit them, so nothing looks different. As written, the rules match every element,
 * and the browser keeps the styles of each one separately, which doubles what it has to visit when it frees memory
 * while a long response streams.
 */
export function shareHighlights(page: Document): void {
  for (const sheet of page.styleSheets) {
    // The rules of files from elsewhere can't be read, and ours are written this way.
    if (sheet.href === null) limitToRoot(sheet.cssRules);
  }
}

function limitSelectors(rule: CSSStyleRule): void {
  const selectors = rule.selectorText.replace(ofEveryElement, "$1:root");
  // Setting them would style the page again.
  if (selectors !== rule.selectorText) rule.selectorText = selectors;
}

/** Before a `::highlight(…)` that stands alone in a list of selectors. */
const ofEveryElement = /(^|,\s*)\*?(?=::highlight\()/g;

function limitToRoot(rules: CSSRuleList): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) limitSelectors(rule);
    else if (rule instanceof CSSGroupingRule) limitToRoot(rule.cssRules);
  }
}

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

function limitToRoot(rules: CSSRuleList): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && rule.selectorText.startsWith("::highlight("))
      rule.selectorText = `:root${rule.selectorText}`;
    else if (rule instanceof CSSGroupingRule) limitToRoot(rule.cssRules);
  }
}

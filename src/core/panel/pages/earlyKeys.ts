/**
 * A script for the head of a page, before everything that the page loads. It keeps what is typed until the page's own
 * script runs, in the page and in VS Code's document around it, which has the focus until the page is shown. The page
 * takes it with `takeEarlyKeys()` and is in charge of the keys from then on.
 */
export const earlyKeysScript = `{
  const targets = new Set([window, window.parent]);
  let text = "";
  const keep = ({ key, ctrlKey, metaKey, altKey, isComposing }) => {
    if (isComposing || metaKey || ctrlKey !== altKey) return;
    if (key === "Backspace") text = [...text].slice(0, -1).join("");
    else if ([...key].length === 1) text += key;
  };
  for (const target of targets) target.addEventListener("keydown", keep, true);
  globalThis.takeEarlyKeys = () => {
    for (const target of targets) target.removeEventListener("keydown", keep, true);
    delete globalThis.takeEarlyKeys;
    return text;
  };
}`;

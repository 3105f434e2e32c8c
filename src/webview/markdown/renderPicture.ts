import { t } from "@vscode/l10n";
import type { Token } from "markdown-it";
import { isPictureData } from "../../core/kernel/pictures.ts";
import { hostOf } from "./links.ts";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/**
 * Pictures in model output are never fetched by themselves: the address alone can carry data away. What is shown is
 * what stands in the text itself; anything else is a placeholder that says where it would come from.
 */
export function renderPicture(token: Token): ElementTree {
  const source = String(token.attrGet("src") ?? "");
  const words = plainText(token.children ?? []);
  const alternative = words === "" ? t("Picture") : words;
  if (isPictureData(source)) return element("img", { class: "picture-image", src: source, alt: alternative });
  const isLoadable = /^https:\/\//i.test(source);
  const host = isLoadable ? hostOf(source) : undefined;
  const place = host ?? (source.startsWith("data:") ? "" : source);
  return element("span", { class: "picture", title: source.slice(0, 2000) }, [
    element("span", { class: "codicon codicon-file-media", "aria-hidden": "true" }),
    element("span", { class: "picture-name", dir: "auto" }, [alternative]),
    element("span", { class: "picture-source", dir: "ltr" }, place === "" ? [] : [place]),
    ...(host === undefined ? [] : [loadButton(source, host)]),
  ]);
}

function loadButton(source: string, host: string): Tree {
  const label = t("Load once from {0}", host);
  const attributes = { type: "button", class: "button secondary picture-load", "data-picture": source };
  return element("button", { ...attributes, title: label, "aria-label": label }, [t("Load once")]);
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (token.children === null ? breakOr(token) : plainText(token.children)))
    .join("");
}

function breakOr(token: Token): string {
  return token.type === "softbreak" || token.type === "hardbreak" ? " " : token.content;
}

// The program of the frame in which diagrams are drawn. It has no network and no access to the page: text in, text out.
import mermaid from "mermaid";
import type { DiagramReply, DiagramRequest, DiagramTheme } from "./diagramMessages.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";

const maxTextSize = 20_000;

/** The page's policy also applies here, so mermaid's inline styles are set through the object model instead. */
function sayStylesThroughObjects(): void {
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (this: Element, name: string, value: string): void {
    if (name === "style" && (this instanceof HTMLElement || this instanceof SVGElement))
      this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}

/** Text sizes depend on the rules that mermaid adds to the drawing. */
function adoptStyles(svg: Element): void {
  document.adoptedStyleSheets = [...svg.querySelectorAll("style")].map((style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.textContent ?? "");
    return sheet;
  });
}

function watchStyles(): void {
  new MutationObserver(() => {
    const svg = document.querySelector("svg:has(style)");
    if (svg !== null) adoptStyles(svg);
  }).observe(document, { childList: true, subtree: true });
}

function configOf(theme: DiagramTheme): object {
  const { fontFamily, fontSize, isDark } = theme;
  return {
    startOnLoad: false,
    securityLevel: "strict",
    // Options that a diagram may not set for itself.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "htmlLabels",
      "themeCSS",
      "suppressErrorRendering",
    ],
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: {
      useMaxWidth: false,
      actorFontSize: fontSize,
      messageFontSize: fontSize,
      noteFontSize: fontSize,
    },
    class: { htmlLabels: false },
    maxTextSize,
    maxEdges: 300,
    fontFamily,
    theme: "base",
    darkMode: isDark,
    themeVariables: variablesOf(theme),
    // The base theme lets the line of an edge show through its label.
    themeCSS: ".edgeLabel rect { opacity: 1; }",
  };
}

/** Derives all colors from the editor's. */
function variablesOf(theme: DiagramTheme): Readonly<Record<string, string | boolean>> {
  const { background, foreground, fill, accentFill, border, line, fontFamily, fontSize, isDark } = theme;
  return {
    darkMode: isDark,
    fontFamily,
    fontSize: `${fontSize}px`,
    background,
    mainBkg: fill,
    primaryColor: fill,
    primaryTextColor: foreground,
    primaryBorderColor: border,
    nodeBorder: border,
    clusterBkg: background,
    clusterBorder: border,
    secondaryColor: accentFill,
    secondaryTextColor: foreground,
    secondaryBorderColor: border,
    tertiaryColor: background,
    tertiaryTextColor: foreground,
    tertiaryBorderColor: border,
    lineColor: line,
    textColor: foreground,
    titleColor: foreground,
    edgeLabelBackground: background,
    noteBkgColor: accentFill,
    noteTextColor: foreground,
    noteBorderColor: border,
    actorLineColor: line,
    signalColor: line,
    signalTextColor: foreground,
    labelTextColor: foreground,
    loopTextColor: foreground,
  };
}

async function draw({ id, source, theme }: DiagramRequest): Promise<DiagramReply> {
  try {
    mermaid.initialize(configOf(theme));
    const { svg: markup } = await mermaid.render(`diagram-${id}`, source);
    return { id, ...measure(markup) };
  } catch (error) {
    return { id, error: messageOf(error) };
  }
}

/** The drawing as a standalone XML document with its own size. */
function measure(markup: string): Omit<Extract<DiagramReply, { readonly svg: string }>, "id"> {
  const svg = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
  if (svg === null) throw new Error("The diagram is empty.");
  const [, , width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.style.removeProperty("max-width");
  const title = svg.querySelector(":scope > title, :scope > desc")?.textContent ?? "";
  return { svg: new XMLSerializer().serializeToString(svg), width, height, title };
}

sayStylesThroughObjects();
watchStyles();
window.addEventListener("message", (event: MessageEvent<DiagramRequest>) => {
  if (event.source === window.parent)
    void draw(event.data).then((reply) => window.parent.postMessage(reply, "*"));
});
window.parent.postMessage("ready", "*");

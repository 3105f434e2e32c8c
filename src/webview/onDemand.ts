import { Diagrams } from "./diagram/diagrams.ts";
import { CodeHighlighter } from "./highlight/codeHighlighter.ts";
import { MathTypesetter } from "./math/mathTypesetter.ts";
import type { BundleSource } from "./onDemandBundle.ts";

/** What makes blocks richer once they are near to sight; each loads its bundle with the first one. */
export interface OnDemand {
  readonly highlighter: CodeHighlighter;
  readonly math: MathTypesetter;
  readonly diagrams: Diagrams;
}

/** The host has put the addresses of the bundles into the page. */
export function createOnDemand({
  highlightSrc,
  mathSrc,
  mathStyle,
  diagramSrc,
  cspNonce,
}: DOMStringMap): OnDemand {
  const source = (url: string | undefined): BundleSource | undefined =>
    url === undefined || cspNonce === undefined ? undefined : { url, cspNonce };
  const math = source(mathSrc);
  return {
    diagrams: new Diagrams(source(diagramSrc)),
    highlighter: new CodeHighlighter(source(highlightSrc)),
    math: new MathTypesetter(
      math === undefined || mathStyle === undefined ? math : { ...math, styleUrl: mathStyle },
    ),
  };
}

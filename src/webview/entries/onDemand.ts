import { Diagrams } from "../markdown/diagram/diagrams.ts";
import { CodeHighlighter } from "../markdown/highlight/codeHighlighter.ts";
import { MathTypesetter } from "../markdown/math/mathTypesetter.ts";
import { bundleLoader } from "../kit/onDemandBundle.ts";
import type { BundleSource } from "../kit/onDemandBundle.ts";
import { settingsDialogEvent } from "../settings/settingsDialogBundle.ts";
import type { CreateSettingsDialog } from "../settings/settingsDialogBundle.ts";
import { checkViewEvent } from "../transcript/structured/checkViewBundle.ts";
import type { CreateCheckView } from "../transcript/structured/checkViewBundle.ts";

/** What makes blocks richer once they are near to sight, and views that few chats need; each loads its bundle with the first one. */
export interface OnDemand {
  readonly highlighter: CodeHighlighter;
  readonly math: MathTypesetter;
  readonly diagrams: Diagrams;
  loadSettingsDialog(): Promise<CreateSettingsDialog>;
  loadCheckView(): Promise<CreateCheckView>;
}

/** The host has put the addresses of the bundles into the page. */
export function createOnDemand({
  highlightSrc,
  mathSrc,
  mathStyle,
  diagramSrc,
  settingsDialogSrc,
  checkViewSrc,
  cspNonce,
}: DOMStringMap): OnDemand {
  const source = (url: string | undefined): BundleSource | undefined =>
    url === undefined || cspNonce === undefined ? undefined : { url, cspNonce };
  const math = source(mathSrc);
  const settingsDialog = bundleLoader(source(settingsDialogSrc), settingsDialogEvent);
  const checkView = bundleLoader(source(checkViewSrc), checkViewEvent);
  return {
    loadSettingsDialog: async () => (await settingsDialog()).detail,
    loadCheckView: async () => (await checkView()).detail,
    diagrams: new Diagrams(source(diagramSrc)),
    highlighter: new CodeHighlighter(source(highlightSrc)),
    math: new MathTypesetter(
      math === undefined || mathStyle === undefined ? math : { ...math, styleUrl: mathStyle },
    ),
  };
}

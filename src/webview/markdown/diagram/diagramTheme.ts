import { create } from "../../kit/dom.ts";
import type { DiagramTheme } from "./diagramProtocol.ts";

/** The colours of the theme in the form that mermaid understands. */
export function readDiagramTheme(): DiagramTheme {
  const probe = create("span", { class: "visually-hidden" });
  document.body.append(probe);
  const colour = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const { classList } = document.body;
  const isHighContrast =
    classList.contains("vscode-high-contrast") || classList.contains("vscode-high-contrast-light");
  const isLight = classList.contains("vscode-light") || classList.contains("vscode-high-contrast-light");
  const background = colour("var(--vscode-editor-background)");
  const border = colour(
    "var(--vscode-contrastBorder, var(--vscode-textLink-foreground, var(--vscode-foreground)))",
  );
  const theme = {
    isDark: !isLight,
    fontFamily: getComputedStyle(document.body).fontFamily,
    fontSize: parseFloat(getComputedStyle(document.body).fontSize) || 13,
    background,
    foreground: colour("var(--vscode-foreground)"),
    fill: isHighContrast ? background : colour("var(--vscode-editorWidget-background)"),
    accentFill: isHighContrast ? background : colour("var(--vscode-input-background)"),
    border,
    line: colour("var(--vscode-descriptionForeground)"),
  };
  probe.remove();
  return theme;
}

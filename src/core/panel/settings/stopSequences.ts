import type { JsonValue } from "../../kernel/json.ts";

/** One sequence a line; a line break inside one is written `\n`, a tab `\t`, a backslash before these `\\`. */
export function parseStops(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) =>
      line.replace(/\\(\\|n|t)/g, (_, letter: string) =>
        letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
      ),
    );
}

export function formatStops(value: JsonValue | undefined): string {
  const stops: readonly unknown[] = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return stops
    .filter((stop) => typeof stop === "string")
    .map((stop) =>
      stop
        .replace(/\\(?=[\\nt])/g, "\\\\")
        .replaceAll("\n", "\\n")
        .replaceAll("\t", "\\t"),
    )
    .join("\n");
}

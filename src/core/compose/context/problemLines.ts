/** What the editor complains about at one place. Lines and columns are counted from one. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  /** Who says so, such as `ts`, and its number of the complaint. */
  readonly source?: string;
  readonly code?: string;
}

/** Maximum number of problems in one attachment. */
export const maxProblems = 200;

const order: readonly Problem["severity"][] = ["error", "warning", "information", "hint"];

/** One problem a line, the worst first, as compilers write them; says how many were left out. */
export function formatProblems(problems: readonly Problem[]): string {
  const sorted = problems.toSorted(
    (a, b) =>
      order.indexOf(a.severity) - order.indexOf(b.severity) ||
      (a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1),
  );
  const lines = sorted.slice(0, maxProblems).map(problemLine);
  const left = problems.length - lines.length;
  return [...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
}

function problemLine({ path, line, column, severity, message, source, code }: Problem): string {
  const origin = [source, code].filter((word) => word !== undefined && word !== "").join(" ");
  const words = message.replace(/\r?\n/g, "\n    ");
  return `${path}:${line}:${column} ${severity}: ${words}${origin === "" ? "" : ` (${origin})`}`;
}

/** One line of a file of variables: `NAME=value`, `export NAME="value"`, `set NAME=value`, `$env:NAME = "value"`. */
const assignment = /^\s*(?:export\s+|set\s+|\$env:)?([A-Za-z_][A-Za-z0-9_]{0,99})\s*=\s*(.*?)\s*$/;

/** The variables of a `.env` file or of a shell script; what is no assignment is passed over, nothing is executed. */
export function parseVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/\r\n|[\r\n]/).flatMap((line) => {
    const [, name, value] = assignment.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquote(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function unquote(value: string): string {
  const [, , quoted] = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(value) ?? [];
  return quoted ?? value.replace(/\s+#.*$/, "");
}

/** One line of a file of variables: `NAME=value`, `export NAME="value"`, `set NAME=value`, `$env:NAME = "value"`. */
const assignment = /^(?:export\s+|set\s+|\$env:)?([A-Za-z_][A-Za-z0-9_]{0,99})\s*=(.*)$/;

/** The variables of a `.env` file or of a shell script; what is no assignment is passed over, nothing is executed. */
export function parseVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/\r\n|[\r\n]/).flatMap((line) => {
    const [, name, value] = assignment.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquote(value.trim())] as const];
  });
  return Object.fromEntries(pairs);
}

/** The value without its quotes, and without a comment behind them. */
function unquote(value: string): string {
  const quote = value.charAt(0);
  for (let end = value.length; quote === '"' || quote === "'";) {
    end = value.lastIndexOf(quote, end - 1);
    if (end < 1) break;
    const rest = value.slice(end + 1).trimStart();
    if (rest === "" || rest.startsWith("#")) return value.slice(1, end);
  }
  const comment = value.search(/\s#/);
  return comment === -1 ? value : value.slice(0, comment).trimEnd();
}

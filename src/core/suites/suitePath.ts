const suiteName = /\.prompts\.(?:ya?ml|json)$/i;

/** The glob of all suites. */
export const suiteGlob = "**/*.prompts.{yaml,yml,json}";

/** Whether a file with this path is a prompt suite. */
export function isSuitePath(path: string): boolean {
  return suiteName.test(path);
}

/** The path of the file with the accepted responses of the suite at this path. */
export function acceptedPath(suitePath: string): string {
  return suitePath.replace(suiteName, ".prompts.accepted.json");
}

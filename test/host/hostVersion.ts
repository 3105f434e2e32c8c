/** The two versions of VS Code in which everything is tested. */
export type HostVersion = "newest" | "oldest";

/** The server and its Node, as installed by `test/setup.mjs`. */
export function serverExecutables(version: HostVersion): { readonly node: string; readonly folder: string } {
  const name = `VSCODE_SERVER_${version.toUpperCase()}`;
  const { [name]: folder, [`${name}_NODE`]: node } = process.env;
  if (folder === undefined || node === undefined) {
    throw new Error(`${name} is not set: run this through npm, which sets up what it needs.`);
  }
  return { node, folder };
}

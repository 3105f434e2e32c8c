import { statSync } from "node:fs";
import { PackageManager, createVSIX, listFiles } from "@vscode/vsce";

const largestBytes = 1_000_000;
/** Sources, tests, source maps, dependencies and dotfiles: nothing of it runs. */
const unwanted = /(^|\/)(src|test|out|node_modules|\.[^/]+)\/|(^|\/)\.|\.(ts|mjs|map|vsix)$/;

export interface Package {
  readonly file: string;
  readonly bytes: number;
  readonly contents: readonly string[];
}

/** Makes a .vsix of what is built in `dist/`; throws where it would carry more than what runs, or too much of it. */
export async function packageExtension(root: string, file: string): Promise<Package> {
  const contents = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const wrong = contents.filter((entry) => unwanted.test(entry));
  if (wrong.length > 0) throw new Error(`The package must not carry ${wrong.join(", ")}.`);
  await createVSIX({
    cwd: root,
    packagePath: file,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  const { size: bytes } = statSync(file);
  if (bytes > largestBytes) throw new Error(`The package has ${bytes} bytes; ${largestBytes} are allowed.`);
  return { file, bytes, contents };
}

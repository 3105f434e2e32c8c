import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PackageManager, createVSIX, listFiles } from "@vscode/vsce";
import { unzipSync } from "fflate";

/** What a session may need at any time. Diagrams come on top: their library alone is as large as all the rest. */
const largestBytes = 1_000_000;
const largestDiagramBytes = 1_100_000;
const diagrams = "extension/dist/webview/diagram.js";
/** VS Code's page of an extension loads no picture out of a package: there they would only be broken. */
const readme = "dist/README.md";
/** Sources, tests, source maps, dependencies and dotfiles: nothing of it runs. */
const unwanted = /(^|\/)(src|test|out|node_modules|screenshots|\.[^/]+)\/|(^|\/)\.|\.(ts|mjs|map|vsix)$/;

export interface Package {
  readonly file: string;
  /** Without diagrams. */
  readonly bytes: number;
  readonly diagramBytes: number;
  readonly contents: readonly string[];
}

/** Makes a .vsix of what is built in `dist/`; throws where it would carry more than what runs, or too much of it. */
export async function packageExtension(root: string, file: string): Promise<Package> {
  const markdown = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(join(root, readme), markdown.replace(/^!\[.*\]\(.*\)\n+/gm, ""));
  const contents = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const wrong = contents.filter((entry) => unwanted.test(entry));
  if (wrong.length > 0) throw new Error(`The package must not carry ${wrong.join(", ")}.`);
  await createVSIX({
    cwd: root,
    packagePath: file,
    readmePath: readme,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  const { bytes, diagramBytes } = measure(readFileSync(file));
  expectAtMost("The package without diagrams", bytes, largestBytes);
  expectAtMost("What draws diagrams", diagramBytes, largestDiagramBytes);
  return { file, bytes, diagramBytes, contents };
}

function measure(zip: Uint8Array): { bytes: number; diagramBytes: number } {
  let diagramBytes = 0;
  unzipSync(zip, {
    filter({ name, size }) {
      if (name === diagrams) diagramBytes = size;
      return false;
    },
  });
  return { bytes: zip.length - diagramBytes, diagramBytes };
}

function expectAtMost(what: string, bytes: number, largest: number): void {
  if (bytes > largest) throw new Error(`${what} has ${bytes} bytes; ${largest} are allowed.`);
}

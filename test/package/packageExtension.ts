import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PackageManager, createVSIX, listFiles } from "@vscode/vsce";
import { unzipSync } from "fflate";
import { bundledPackages } from "../../esbuild.js";
import { compressZip } from "./compressZip.ts";
import { thirdPartyNotices } from "./thirdPartyNotices.ts";

/**
 * Maximum size of everything that a session may need at any time. Diagrams aren't included: their library alone is
 * almost as large as everything else. It is just above the package's size, so that nothing makes it larger unnoticed.
 */
const largestBytes = 1_210_000;
const largestDiagramBytes = 1_100_000;
const diagrams = "extension/dist/webview/diagramRenderer.js";
/** January 1, 1980, in seconds since 1970: the earliest time that a zip file can store. */
const firstZipTime = "315532800";
const notices = "dist/ThirdPartyNotices.txt";
/** Sources, tests, source maps, dependencies and dotfiles, none of which are needed at run time. */
const unwanted = /(^|\/)(src|test|out|node_modules|screenshots|\.[^/]+)\/|(^|\/)\.|\.(ts|mjs|map|vsix)$/;

export interface Package {
  readonly file: string;
  /** Not including diagrams. */
  readonly bytes: number;
  readonly diagramBytes: number;
  readonly contents: readonly string[];
}

/**
 * Creates a .vsix from `dist/`, byte for byte the same for the same build.
 * @throws Error if it would contain anything that isn't needed at run time, or is too large.
 */
export async function packageExtension(root: string, file: string): Promise<Package> {
  writeFileSync(join(root, notices), thirdPartyNotices(root, bundledPackages));
  const contents = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const wrong = contents.filter((entry) => unwanted.test(entry));
  if (wrong.length > 0) throw new Error(`The package must not carry ${wrong.join(", ")}.`);
  const folder = stage(root, contents);
  await withFixedTimes(() => createVSIX({ cwd: folder, packagePath: file, dependencies: false }));
  // Diagrams would take as long as everything else, and their size matters less.
  writeFileSync(file, await compressZip(readFileSync(file), (name) => name !== diagrams));
  const { bytes, diagramBytes } = measure(readFileSync(file));
  expectAtMost("The package without diagrams", bytes, largestBytes);
  expectAtMost("What draws diagrams", diagramBytes, largestDiagramBytes);
  return { file, bytes, diagramBytes, contents };
}

/**
 * A folder with a copy of what is packaged. Only JSON differs: it has no line breaks, and the manifest and its texts
 * have nothing that only developers need, and numbers as keys of texts, all in the same order, which takes 9 kB less.
 */
function stage(root: string, contents: readonly string[]): string {
  const folder = join(root, "out", "package");
  rmSync(folder, { recursive: true, force: true });
  for (const name of [".vscodeignore", ...contents]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    if (name.endsWith(".json")) writeFileSync(join(folder, name), JSON.stringify(readJson(join(root, name))));
    else copyFileSync(join(root, name), join(folder, name));
  }
  const manifest = JSON.stringify(readJson(join(root, "package.json")), (key, value: unknown) =>
    forDevelopment.has(key) ? undefined : value,
  );
  const keys = [...new Set(Array.from(manifest.matchAll(textKey), ([, key = ""]) => key))];
  const numbers = new Map(keys.map((key, index) => [key, index.toString(36)]));
  const numbered = manifest.replaceAll(textKey, (_, key: string) => `"%${numbers.get(key)}%"`);
  writeFileSync(join(folder, "package.json"), numbered);
  for (const name of contents.filter((entry) => /^package\.nls(\..+)?\.json$/.test(entry))) {
    const texts = readJson(join(root, name));
    const entries = keys.filter((key) => key in texts).map((key) => [numbers.get(key), texts[key]]);
    writeFileSync(join(folder, name), JSON.stringify(Object.fromEntries(entries)));
  }
  return folder;
}

/** Fields of the manifest that the packaged extension doesn't need. */
const forDevelopment = new Set(["scripts", "dependencies", "devDependencies"]);

/** A text of the manifest that VS Code replaces: all of a string. */
const textKey = /"%([^%"\\]+)%"/g;

function readJson(file: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/**
 * The packager sorts the files and gives them all the same time if the usual variable for reproducible builds is set.
 */
async function withFixedTimes(run: () => Promise<void>): Promise<void> {
  const before = { SOURCE_DATE_EPOCH: process.env["SOURCE_DATE_EPOCH"], TZ: process.env["TZ"] };
  process.env["SOURCE_DATE_EPOCH"] ??= firstZipTime;
  // Times in a zip file are local times.
  process.env["TZ"] = "UTC";
  try {
    await run();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
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

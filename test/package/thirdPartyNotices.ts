import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

interface BundledPackage {
  /** Relative to the repository's root. */
  readonly folder: string;
  /** Whether its authors have bundled their own dependencies into the file that is used. */
  readonly isPrebuilt: boolean;
}

const licenseFile = /^(licen[sc]e|copying|notice|ofl)([.-].*)?$/i;
const separator = `\n${"-".repeat(80)}\n\n`;

interface Notice {
  /** The package's name and version. */
  readonly name: string;
  readonly license: string;
}

/** Lines that name who holds the rights. */
const copyrightLine = /^[ \t]*(?:Copyright|©)[ \t:].*$/gm;

/**
 * The notices for everything that the last production build bundled, sorted by name: the package's own license files,
 * or the license named in its manifest. A license that several packages have in the same words stands there once, after
 * the names and copyright lines of all of them.
 * @param list The list written by the build.
 * @throws Error if a package doesn't state any license.
 */
export function thirdPartyNotices(root: string, list: string): string {
  const bundled = parseList(JSON.parse(readFileSync(join(root, list), "utf8")));
  const folders = new Set<string>();
  for (const { folder, isPrebuilt } of bundled) {
    if (isPrebuilt) addWithDependencies(join(root, folder), folders);
    else folders.add(join(root, folder));
  }
  const notices = [...folders].map(noticeOf).toSorted((a, b) => compare(a.name, b.name));
  const intro = "Inference Gateway includes the following third-party software, fonts and icons.\n";
  // Titles, quotes and the ends of lines may differ.
  const groups = new Map<string, Notice[]>();
  for (const notice of notices) {
    const words = conditionsOf(notice.license).toLowerCase().match(/\w+/g) ?? [];
    const conditions = words.join(" ").replace(/^(?:the )?mit license (?:mit )?(?=permission)/, "");
    groups.set(conditions, [...(groups.get(conditions) ?? []), notice]);
  }
  // Similar licenses have similar lengths. Close to each other, they can be compressed better.
  const texts = [...groups.values()].map(textOf).toSorted((a, b) => b.length - a.length || compare(a, b));
  return [intro, ...texts].join(separator);
}

function textOf(group: readonly Notice[]): string {
  const [first] = group;
  if (first === undefined) return "";
  if (group.length === 1) return `${first.name}\n\n${first.license}\n`;
  const holders = group.map(({ name, license }) =>
    [name, ...(license.match(copyrightLine) ?? []).map((line) => line.trim())].join("\n"),
  );
  return `${[...holders, conditionsOf(first.license)].join("\n\n")}\n`;
}

/** A license without the lines that differ from package to package. */
function conditionsOf(license: string): string {
  return license
    .replaceAll(copyrightLine, "")
    .replaceAll(/\n\s*\n/g, "\n\n")
    .trim();
}

function parseList(value: unknown): readonly BundledPackage[] {
  if (!Array.isArray(value)) throw new Error("The list of bundled packages can't be read: build again.");
  return value.map((item: unknown) => {
    const { folder, isPrebuilt } = fieldsOf(item);
    if (typeof folder !== "string") throw new Error("A bundled package has no folder: build again.");
    return { folder, isPrebuilt: isPrebuilt === true };
  });
}

function addWithDependencies(folder: string, folders: Set<string>): void {
  if (folders.has(folder)) return;
  folders.add(folder);
  for (const name of Object.keys(fieldsOf(readManifest(folder)["dependencies"]))) {
    // Types aren't part of the running code.
    if (name.startsWith("@types/")) continue;
    const found = findPackage(name, folder);
    if (found !== undefined) addWithDependencies(found, folders);
  }
}

/** Where Node would find the package; undefined if it isn't installed, such as types or another platform's files. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

function noticeOf(folder: string): Notice {
  const { name, version, license, licenses } = readManifest(folder);
  const title = `${String(name)} ${String(version)}`;
  const texts = readdirSync(folder)
    .filter((file) => licenseFile.test(file))
    .toSorted(compare)
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  const stated = typeof license === "string" ? license : JSON.stringify(license ?? licenses);
  if (texts.length === 0 && stated === undefined) throw new Error(`${title} states no license.`);
  return { name: title, license: texts.length === 0 ? `License: ${stated}` : texts.join("\n\n") };
}

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  return fieldsOf(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** By code units, which results in the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

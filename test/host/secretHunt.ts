import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** A text that could contain a secret, and where it was found. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Every file below the folder. Bytes are read as Latin-1, so that nothing is skipped. */
export function filesBelow(folder: string): readonly Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ name: file, text: readFileSync(file, "latin1") }));
}

/** Everything that the window shows and stores: the pages in all frames including typed text, and browser storage. */
export async function placesOfPage(page: Page): Promise<readonly Place[]> {
  return Promise.all(
    page.frames().map(async (frame) => ({
      name: `frame ${frame.url().slice(0, 80)}`,
      text: String(await frame.evaluate(readFrame)),
    })),
  );
}

/** Runs in the page, whose global names aren't in the host's types. */
const readFrame = `(async () => {
  const done = (request, read) =>
    new Promise((resolve, reject) => {
      request.onerror = () => reject(request.error);
      request.onsuccess = () => resolve(read(request.result));
    });
  const readDatabase = async ({ name }) => {
    const database = await done(indexedDB.open(name), (result) => result);
    const stores = [...database.objectStoreNames];
    const all = stores.map((store) =>
      done(database.transaction(store).objectStore(store).getAll(), (values) => values),
    );
    return Promise.all(all).finally(() => database.close());
  };
  const databases = await Promise.all((await indexedDB.databases()).map(readDatabase));
  const typed = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
  const kept = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, typed]);
  return document.documentElement.outerHTML + kept;
})()`;

/** Where one of the secrets occurs, in plain text or in one of the usual encodings. Never repeats the secret. */
export function findTraces(places: readonly Place[], secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret, index) =>
    disguises(secret).map((form) => ({ form, label: `secret ${index}` })),
  );
  return places.flatMap(({ name, text }) =>
    forms.filter(({ form }) => text.includes(form)).map(({ label }) => `${label} in ${name}`),
  );
}

function disguises(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      bytes.toString("base64").replace(/=+$/, ""),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ]),
  ];
}

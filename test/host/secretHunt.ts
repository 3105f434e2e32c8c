import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** A text that could hold a secret, and where it was found. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Every file below the folder; bytes are read as Latin-1, so that nothing is skipped. */
export function filesBelow(folder: string): readonly Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ name: file, text: readFileSync(file, "latin1") }));
}

/** What the window shows and keeps: the pages of all frames with what is typed there, and the browser's storages. */
export async function placesOfPage(page: Page): Promise<readonly Place[]> {
  return Promise.all(
    page.frames().map(async (frame) => ({
      name: `frame ${frame.url().slice(0, 80)}`,
      text: String(await frame.evaluate(readFrame)),
    })),
  );
}

/** Runs in the page, whose names the host's types don't know. */
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

/** Where one of the secrets stands, plain or in one of its usual disguises. Never repeats the secret. */
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

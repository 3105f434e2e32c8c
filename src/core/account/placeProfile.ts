import type { Profile } from "./profile.ts";

/** Where an imported profile goes. */
export interface ProfilePlace {
  readonly name: string;
  /** False where the very same profile is there already. */
  readonly isNew: boolean;
}

/** Never replaces a profile: one of the same name that leads elsewhere makes the imported one “Name (2)”. */
export function placeProfile(existing: readonly Profile[], imported: Profile): ProfilePlace {
  const namesake = existing.find(({ name }) => name === imported.name);
  if (namesake === undefined) return { name: imported.name, isNew: true };
  const isSame =
    namesake.inferenceBaseUrl === imported.inferenceBaseUrl && namesake.gatewayUrl === imported.gatewayUrl;
  if (isSame) return { name: imported.name, isNew: false };
  const names = new Set(existing.map(({ name }) => name));
  for (let number = 2; ; number++) {
    const name = `${imported.name} (${number})`;
    if (!names.has(name)) return { name, isNew: true };
  }
}

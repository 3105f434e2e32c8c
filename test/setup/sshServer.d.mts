/** A folder with the unpacked packages. Rejects with the reason if they can't be had. */
export function ensureSshServer(): Promise<string>;

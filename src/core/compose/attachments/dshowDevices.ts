/** The microphones that ffmpeg lists on Windows (`-list_devices true -f dshow`), by the names that it takes. */
export function parseDshowDevices(listing: string): readonly string[] {
  const names: string[] = [];
  let isAudioSection = false;
  for (const line of listing.split(/\r?\n/)) {
    if (/DirectShow (?:audio|video) devices/.test(line)) isAudioSection = line.includes("DirectShow audio");
    if (line.includes("Alternative name")) continue;
    const [, name, kind] = /"([^"]+)"(?: \((audio|video|none)[^)]*\))?/.exec(line) ?? [];
    if (name !== undefined && (kind === undefined ? isAudioSection : kind === "audio")) names.push(name);
  }
  return names;
}

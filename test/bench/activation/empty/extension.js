// Does nothing: what it costs is what any extension costs.
export function activate() {
  return undefined;
}

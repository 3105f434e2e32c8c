/** Lines from the workbench itself that are irrelevant to our tests. */
const noise = [
  /^\[(Service Worker|ChatModelSelection|AgentHost|AccountPolicyGate|reconnection-grace-time)/,
  /^(Creating a socket|Resolv(ing|ed) connection token|Updating additional builtin)/,
  /^Canceled: Canceled/,
  /Could not locate the bindings file|spdlog|Release\/watchdog|^Require stack:|^- \//,
  /^Timed out waiting for authentication provider|^ChatSessionStore/,
  /^\s+at (listOnTimeout|process\.processTimers) /,
  /^$/,
  /open-vsx|getaddrinfo/,
  /^ → /,
  /^\s+at .*(workbench\.js|\/_static\/|static\/out)/,
  /^\s+at (async )?(Array\.map|new Promise|Promise\.all)/,
  /^\s+at .*(code-server|node:internal\/modules)/,
  /^\s+at async [\w$.]+ \(file:.*extensionHostProcess/,
  /^No signed-in session/,
] as const;

export function isNoise(line: string): boolean {
  return noise.some((pattern) => pattern.test(line));
}

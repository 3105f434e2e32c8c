/**
 * Stands in for the package `punycode.js` in the page: there names of hosts are shown as they are resolved, because a name in
 * another script may look like one that the user trusts.
 */
const punycode = {
  toASCII(hostname: string): string {
    try {
      return new URL(`http://${hostname}`).hostname;
    } catch {
      return hostname;
    }
  },
  toUnicode: (hostname: string): string => hostname,
};

// markdown-it imports it so.
export { punycode as default };

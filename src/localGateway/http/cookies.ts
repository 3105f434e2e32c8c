import type { Parameter } from "./parameters.ts";

/** The cookies of a `Cookie` header in its order (RFC 6265, section 4.2.1); values are not decoded, only unquoted. */
export function parseCookies(header: string | undefined): readonly Parameter[] {
  return (header ?? "").split(";").flatMap((pair): readonly Parameter[] => {
    const equals = pair.indexOf("=");
    if (equals === -1) return [];
    const value = pair.slice(equals + 1).trim();
    return [[pair.slice(0, equals).trim(), /^"(.*)"$/.exec(value)?.[1] ?? value]];
  });
}

/** A query parameter after decoding: the raw value that a signature is computed over (interface section 5.3). */
export type Parameter = readonly [name: string, value: string];

/**
 * Decodes a query as forms are encoded (`+` is a space), in the order of the request, repeated names included;
 * undefined where it isn't well-formed percent-encoded UTF-8.
 */
export function parseParameters(query: string): readonly Parameter[] | undefined {
  try {
    return query
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair): Parameter => {
        const [name = "", ...rest] = pair.split("=");
        return [decode(name), decode(rest.join("="))];
      });
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

/** The values of a name, in the order of the request. */
export function valuesOf(parameters: readonly Parameter[], name: string): readonly string[] {
  return parameters.filter(([other]) => other === name).map(([, value]) => value);
}

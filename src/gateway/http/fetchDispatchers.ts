const read = (symbol: symbol): unknown => Object.getOwnPropertyDescriptor(globalThis, symbol)?.value;
const listed = (): readonly symbol[] =>
  Object.getOwnPropertySymbols(globalThis).filter(({ description = "" }) =>
    description.startsWith("undici.globalDispatcher."),
  );

const before = new Map(listed().map((symbol) => [symbol, read(symbol)]));

/**
 * Restores the dispatchers that `fetch` uses in the whole process to what they were when this module was loaded. undici
 * replaces them when it is loaded, and the requests of all other extensions would bypass VS Code's proxy and
 * certificates.
 */
export function restoreFetchDispatchers(): void {
  for (const symbol of listed()) Reflect.set(globalThis, symbol, before.get(symbol));
}

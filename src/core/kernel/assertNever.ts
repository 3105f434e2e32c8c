/** Closes a `switch` over a union: type checking fails if a member isn't handled. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled member of a union: ${JSON.stringify(value)}`);
}

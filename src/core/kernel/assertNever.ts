/** Closes a `switch` over a union: the type checker complains when a member is not handled. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled member of a union: ${JSON.stringify(value)}`);
}

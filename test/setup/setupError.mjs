/** The reason why a setup can't continue, as a sentence for the user. Shown without a stack trace. */
export class SetupError extends Error {}

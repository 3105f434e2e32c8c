/** What stands in the way of a setup, as a sentence for the person at the keyboard; shown without a stack. */
export class SetupError extends Error {}

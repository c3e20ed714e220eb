/** A JSON object of an API document. */
export type Json = Readonly<Record<string, unknown>>;

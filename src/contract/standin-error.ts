/** The base class of the errors that callers of the library can expect. */
export abstract class StandinError extends Error {
  /** Stable; messages may change. */
  abstract readonly code: string;
}

/** What is wrong with a document, and where. */

/** A place in a document, counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly message: string;
  /** Absent where a document comes from a saved plan. */
  readonly place?: Place | undefined;
}

/** Finds the place of a value by its way from the top of all documents: `groups/3/users/0`. */
export type Places = ReadonlyMap<string, Place>;

/** The place of a value, or of the nearest one around it that has one. */
export function placeOf(places: Places, path: string): Place | undefined {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = places.get(at);
    if (found || !at.includes('/')) return found;
  }
}

/** `iam.yaml:3:5: message`, in the order of the documents. */
export function faultLines(faults: readonly Fault[]): string[] {
  const ordered = [...faults].sort((a, b) => compare(a.place, b.place));
  return ordered.map(({ place, message }) =>
    place ? `${place.file}:${place.line}:${place.column}: ${message}` : message,
  );
}

function compare(a: Place | undefined, b: Place | undefined): number {
  if (!a || !b) return Number(b !== undefined) - Number(a !== undefined);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

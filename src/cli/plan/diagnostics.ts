/** What is wrong with a document, and where. */

/** A place in a document, counted from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic {
  readonly message: string;
  /** Absent where a document comes from a saved plan. */
  readonly position?: SourcePosition | undefined;
}

/** Finds the place of a value by its way from the top of all documents: `groups/3/users/0`. */
export type SourcePositions = ReadonlyMap<string, SourcePosition>;

/** The place of a value, or of the nearest one around it that has one. */
export function findPosition(positions: SourcePositions, path: string): SourcePosition | undefined {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = positions.get(at);
    if (found || !at.includes('/')) return found;
  }
}

/** `iam.yaml:3:5: message`, in the order of the documents. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string[] {
  const ordered = [...diagnostics].sort((a, b) => comparePositions(a.position, b.position));
  return ordered.map(({ position, message }) =>
    position ? `${position.file}:${position.line}:${position.column}: ${message}` : message,
  );
}

function comparePositions(a: SourcePosition | undefined, b: SourcePosition | undefined): number {
  if (!a || !b) return Number(b !== undefined) - Number(a !== undefined);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

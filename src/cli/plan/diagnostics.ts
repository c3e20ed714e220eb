/** Diagnostics of documents with source positions. */

/** A position in a document, counted from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic {
  readonly message: string;
  /** Absent for documents from a saved plan. */
  readonly position?: SourcePosition | undefined;
}

/** Positions of values by path over all documents: `groups/3/users/0`. */
export type SourcePositions = ReadonlyMap<string, SourcePosition>;

/** Returns the position of a value, or of its nearest ancestor with a position. */
export function findPosition(positions: SourcePositions, path: string): SourcePosition | undefined {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = positions.get(at);
    if (found || !at.includes('/')) return found;
  }
}

/** Formats diagnostics as `iam.yaml:3:5: message`, sorted by position. */
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

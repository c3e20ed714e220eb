/** What a conversion reports: what is not in the seed, or differs in it. */

/** Why something of the source is not in the seed, or is changed in it. */
export interface ImportNote {
  readonly outcome: 'changed' | 'left out';
  /** Whether a user or client can no longer log in with it, or no longer has a role by it. */
  readonly lost: boolean;
  /** In the plural: users, roles, passwords. */
  readonly kind: string;
  /** The name in the source. */
  readonly name: string;
  readonly reason: string;
}

/** How many of a kind are in the seed, how many of those differ, and how many are not in it. */
export interface ImportCount {
  readonly kind: string;
  readonly arrived: number;
  readonly changed: number;
  readonly leftOut: number;
}

export class ImportReport {
  readonly #notes: ImportNote[] = [];

  get notes(): readonly ImportNote[] {
    return this.#notes;
  }

  /** Something is in the seed, but differs. */
  change(kind: string, name: string, reason: string): void {
    this.#notes.push({ outcome: 'changed', lost: false, kind, name, reason });
  }

  /** As `change`, and its owner must learn of it to log in. */
  changeLogin(kind: string, name: string, reason: string): void {
    this.#notes.push({ outcome: 'changed', lost: true, kind, name, reason });
  }

  /** Something that neither logs in nor grants roles is not in the seed. */
  leaveOut(kind: string, name: string, reason: string): void {
    this.#notes.push({ outcome: 'left out', lost: false, kind, name, reason });
  }

  /** Something that logs in or grants roles is not in the seed. */
  lose(kind: string, name: string, reason: string): void {
    this.#notes.push({ outcome: 'left out', lost: true, kind, name, reason });
  }

  /** The notes without changes of what was left out later; first what is lost. */
  list(): readonly ImportNote[] {
    const keyOf = ({ kind, name }: ImportNote) => JSON.stringify([kind, name]);
    const leftOut = new Set(this.#notes.filter(({ outcome }) => outcome === 'left out').map(keyOf));
    const notes = this.#notes.filter((note) => note.outcome === 'left out' || !leftOut.has(keyOf(note)));
    const rank = (note: ImportNote) => (note.lost ? 0 : 2) + (note.outcome === 'left out' ? 0 : 1);
    return notes.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** @param arrived by kind, in the order of the result */
export function countNotes(
  notes: readonly ImportNote[],
  arrived: Readonly<Record<string, number>>,
): readonly ImportCount[] {
  const namesOf = (outcome: ImportNote['outcome']) => {
    const names = new Map<string, Set<string>>();
    for (const note of notes)
      if (note.outcome === outcome) {
        const known = names.get(note.kind) ?? new Set();
        names.set(note.kind, known.add(note.name));
      }
    return names;
  };
  const [changed, leftOut] = [namesOf('changed'), namesOf('left out')];
  const kinds = new Set([...Object.keys(arrived), ...notes.map(({ kind }) => kind)]);
  return [...kinds]
    .map((kind) => ({
      kind,
      arrived: arrived[kind] ?? 0,
      changed: changed.get(kind)?.size ?? 0,
      leftOut: leftOut.get(kind)?.size ?? 0,
    }))
    .filter((count) => count.arrived + count.changed + count.leftOut > 0);
}

/** Ids for users that have none. An id is a login name, too, so it is the name of no other user. */
import { NewId } from '../../../contract/schemas/primitives.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { UniqueNames } from './unique-names.ts';

const maxIdLength = 64;

export class UserIds {
  readonly #ids = new UniqueNames(maxIdLength, foldIdentifier);
  /** How many users have a name. */
  readonly #names = new Map<string, number>();

  /** @param taken ids of users, clients and service accounts @param names of all users */
  constructor(taken: Iterable<string>, names: Iterable<string>) {
    this.#ids.reserve(taken);
    for (const name of names) {
      const folded = foldIdentifier(name);
      this.#names.set(folded, (this.#names.get(folded) ?? 0) + 1);
    }
  }

  /** The name as an id if it is one, and the name of one user only; else with a number. */
  allocate(name: string): string {
    const id = toId(name);
    const [folded, own] = [foldIdentifier(id), foldIdentifier(name)];
    const others = (this.#names.get(folded) ?? 0) - (folded === own ? 1 : 0);
    return this.#ids.allocate(id, (free) => (free === id ? others > 0 : this.#names.has(foldIdentifier(free))));
  }
}

/** A text in the form of ids. */
export function toId(text: string): string {
  const id = text.replace(/[^A-Za-z0-9._:@-]+/g, '-').slice(0, maxIdLength);
  return NewId.safeParse(id).success ? id : `id-${id}`.slice(0, maxIdLength);
}

/** The ids of users. An id is a login name, too, so it is the name of no other user, and no client has it. */
import { NewId } from '../../../contract/schemas/primitives.ts';
import { foldIdentifier } from '../../../lib/fold-identifier.ts';
import { isPlaceholder } from './placeholders.ts';
import { UniqueNames } from './unique-names.ts';

const maxIdLength = 64;

export interface UsedNames {
  /** Ids of clients and service accounts. */
  readonly clientIds: Iterable<string>;
  readonly userIds: Iterable<string>;
  readonly userNames: Iterable<string>;
}

export class UserIds {
  readonly #ids = new UniqueNames(maxIdLength, foldIdentifier);
  readonly #clientIds: ReadonlySet<string>;
  /** How many users have a name. */
  /** The name of the first user with an id: what another one is granted is not its own. */
  readonly #owners = new Map<string, string>();
  readonly #names = new Map<string, number>();

  constructor({ clientIds, userIds, userNames }: UsedNames) {
    this.#clientIds = new Set(clientIds);
    this.#ids.reserve(this.#clientIds);
    this.#ids.reserve(userIds);
    for (const name of userNames) {
      const folded = foldIdentifier(name);
      this.#names.set(folded, (this.#names.get(folded) ?? 0) + 1);
    }
  }

  /** The id of a user in the source if it can stay, else one like it; without an id, one like the name. Not a placeholder. */
  assign(id: string | undefined, name: string): string {
    if (isPlaceholder(name)) return this.assign(id, 'user');
    if (id === undefined || isPlaceholder(id)) return this.#allocate(toId(name), name);
    const owner = this.#owners.get(id) ?? name;
    this.#owners.set(id, owner);
    const isOwn = foldIdentifier(owner) === foldIdentifier(name);
    const isKept = isOwn && toId(id) === id && !this.#clientIds.has(id) && !this.#isOther(id, name);
    return isKept ? id : this.#allocate(toId(id), name);
  }

  #allocate(id: string, name: string): string {
    return this.#ids.allocate(id, (free) => this.#isOther(free, name));
  }

  /** Whether another user than that of the name logs in with it. Ids with @ or : are no login names. */
  #isOther(id: string, name: string): boolean {
    if (/[@:]/.test(id)) return false;
    const folded = foldIdentifier(id);
    return (this.#names.get(folded) ?? 0) > (folded === foldIdentifier(name) ? 1 : 0);
  }
}

/** A text in the form of ids. */
export function toId(text: string): string {
  const id = text.replace(/[^A-Za-z0-9._:@-]+/g, '-').slice(0, maxIdLength);
  return NewId.safeParse(id).success ? id : `id-${id}`.slice(0, maxIdLength);
}

/**
 * What of a server another one accepts: names stand in place of ids, which differ between servers. What has no name that
 * only its owner can have, and what an apply cannot create, is noted.
 */
import { toTypedId, toTypedName } from '../../output/value-prefix.ts';
import type { RemoteState } from './remote-state.ts';

export interface ExportNote {
  /** `left out: clients`, or what else happened to these entities. */
  readonly what: string;
  readonly names: readonly string[];
  readonly why: string;
}

export class Portable {
  /** Whether groups that every server has are exported, too. */
  readonly withBuiltIn: boolean;
  readonly #users: RemoteState['users'];
  readonly #businesses: RemoteState['businesses'];
  readonly #businessCounts = new Map<string, number>();
  readonly #notes = new Map<string, { readonly what: string; readonly names: Set<string>; readonly why: string }>();

  /** @param state with the users and the businesses that the exported entities refer to, and all businesses by name */
  constructor({ users, businesses }: Pick<RemoteState, 'users' | 'businesses'>, withBuiltIn: boolean) {
    this.#users = users;
    this.#businesses = businesses;
    this.withBuiltIn = withBuiltIn;
    for (const business of businesses.values()) {
      const name = String(business?.businessName ?? '');
      this.#businessCounts.set(name, (this.#businessCounts.get(name) ?? 0) + 1);
    }
  }

  /** The login name of a user, or its id. */
  user(id: string): string {
    const { userName, nameVerified } = this.#users.get(id) ?? {};
    if (userName === undefined) return toTypedId('user', id);
    if (nameVerified !== false) return toTypedName('user', userName);
    this.note('by id: users', `${id} (${userName})`, 'they chose their login names themselves, as anyone could');
    return toTypedId('user', id);
  }

  /** The name of a business, or its id. */
  business(id: string): string {
    const name = this.businessName(id);
    if (name !== undefined) return name === id ? name : toTypedName('business', name);
    if (this.#businesses.get(id)) this.note('by id: businesses', id, 'another business has the same name, or it as id');
    return this.#businessCounts.has(id) ? `id:${id}` : toTypedId('business', id);
  }

  /** The name of a business that no other business has as name or id. */
  businessName(id: string): string | undefined {
    const name = this.#businesses.get(id)?.businessName;
    if (typeof name !== 'string' || this.#businessCounts.get(name) !== 1) return undefined;
    return name !== id && this.#businesses.has(name) ? undefined : name;
  }

  note(what: string, name: string, why: string): void {
    const key = `${what}\n${why}`;
    const note = this.#notes.get(key) ?? { what, names: new Set(), why };
    note.names.add(name);
    this.#notes.set(key, note);
  }

  get notes(): readonly ExportNote[] {
    return [...this.#notes.values()].map(({ names, ...note }) => ({ ...note, names: [...names] }));
  }
}

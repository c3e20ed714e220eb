/** Merges what several files say of a realm: entries with one name become one. Null is absent. */
import { isPlaceholder } from '../placeholders.ts';
import type { ImportReport } from '../report.ts';
import { type Fields, isAbsent, isFields, readFlag, toText } from './fields.ts';

/** What the report calls the entries of a list. */
const kinds: Readonly<Record<string, string>> = {
  users: 'users',
  groups: 'groups',
  subGroups: 'groups',
  clients: 'clients',
  identityProviders: 'identity providers',
  roles: 'roles',
};

/** Where values come from: an entry, and its member that contains them. */
interface Place {
  readonly kind: string;
  readonly name: string;
  readonly member?: string;
  /** The name of the list or object that directly contains the values. */
  readonly list?: string;
}

interface Conflict {
  readonly place: Place;
  readonly members: Set<string>;
}

/** @param realm the name of the realm */
export function mergeParts(parts: readonly Fields[], realm: string, report: ImportReport): Fields {
  const merge = new Merge();
  const fields = merge.objects(parts, { kind: 'realms', name: realm });
  for (const { place, members } of merge.conflicts) reportConflict(place, members, report);
  return fields;
}

function reportConflict({ kind, name }: Place, members: ReadonlySet<string>, report: ImportReport): void {
  const others = [...members].filter((member) => member !== 'enabled');
  if (members.has('enabled')) report.change(kind, name, 'is disabled, as one of the files says');
  if (others.length === 0) return;
  const reason = `has other values in another file, of which the last counts: ${others.join(', ')}`;
  if (members.has('secret') || members.has('credentials')) report.changeLogin(kind, name, reason);
  else report.change(kind, name, reason);
}

class Merge {
  readonly #conflicts = new Map<string, Conflict>();

  get conflicts(): Iterable<Conflict> {
    return this.#conflicts.values();
  }

  objects(all: readonly Fields[], place: Place): Fields {
    const names = new Set(all.flatMap(Object.keys));
    return Object.fromEntries(
      [...names].map((name) => {
        const values = all.flatMap((fields) => (isAbsent(fields[name]) ? [] : [fields[name]]));
        return [name, this.#values(values, { ...place, member: place.member ?? name, list: name })];
      }),
    );
  }

  #values(values: readonly unknown[], place: Place): unknown {
    if (values.length < 2) return values[0];
    if (values.every(isFields)) return this.objects(values, place);
    return values.every(Array.isArray) ? this.#lists(values, place) : this.#scalars(values, place);
  }

  /** Entries of one list stay apart. */
  #lists(lists: readonly (readonly unknown[])[], place: Place): unknown[] {
    const groups = new Map<string, { readonly name: string; readonly entries: unknown[] }>();
    for (const list of lists) {
      const counts = new Map<string, number>();
      for (const entry of list) {
        const { key, name } = readKey(entry) ?? { key: JSON.stringify(entry), name: '' };
        const count = counts.get(key) ?? 0;
        counts.set(key, count + 1);
        const numbered = `${count} ${key}`;
        const known = groups.get(numbered);
        if (known) known.entries.push(entry);
        else groups.set(numbered, { name, entries: [entry] });
      }
    }
    return [...groups.values()].map(({ name, entries }) => this.#values(entries, placeOfEntry(place, name)));
  }

  #scalars(values: readonly unknown[], place: Place): unknown {
    const known = values.filter((value) => typeof value !== 'string' || !isPlaceholder(value));
    const distinct = new Set(known.length === 0 ? values : known);
    const last = [...values].reverse().find((value) => distinct.has(value));
    if (distinct.size < 2 || canDiffer(place)) return last;
    const key = JSON.stringify([place.kind, place.name]);
    const conflict = this.#conflicts.get(key) ?? { place, members: new Set() };
    this.#conflicts.set(key, conflict);
    const isDisabled = place.list === 'enabled' && values.some((value) => readFlag(value) === false);
    conflict.members.add(isDisabled ? 'enabled' : (place.member ?? ''));
    return isDisabled ? false : last;
  }
}

/** Merges values in the order of their files, without a report. */
export function mergeValues(values: readonly unknown[]): unknown {
  return new Merge().objects(
    values.map((value) => ({ value })),
    { kind: '', name: '' },
  ).value;
}

/** Each server has its own ids; those of users are in tokens. The names of a user differ in case only. */
function canDiffer({ kind, list }: Place): boolean {
  return list === 'containerId' || list === 'composite' || list === (kind === 'users' ? 'username' : 'id');
}

function placeOfEntry(place: Place, name: string): Place {
  const kind = kinds[(place.kind === 'groups' ? place.list : place.member) ?? ''];
  if (kind === undefined || (place.kind !== 'realms' && place.kind !== kind)) return place;
  const client = kind === 'roles' && place.list !== 'realm' ? `${place.list}.` : '';
  return { kind, name: `${client}${name}` };
}

/** What distinguishes an entry from others in its list: the first of these members. */
const keyMembers = ['username', 'clientId', 'alias', 'identityProvider', 'name', 'email', 'type', 'id'];

function readKey(entry: unknown): { readonly key: string; readonly name: string } | undefined {
  if (!isFields(entry)) return undefined;
  const member = keyMembers.find((name) => toText(entry[name]) !== undefined);
  const name = toText(entry[member ?? '']);
  if (name === undefined) return undefined;
  // Keycloak makes the names of users lower-case. Mappers of two identity providers can have one name.
  const key = member === 'username' || member === 'email' ? name.toLowerCase() : name;
  return { key: JSON.stringify([member, key, toText(entry.identityProviderAlias)]), name };
}

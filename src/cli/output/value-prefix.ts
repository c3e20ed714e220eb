/** The prefixes `id:` and `name:`, which decide whether a value is an id or a name. */
import type { EntityName } from '../../contract/entities.ts';

export interface TypedValue {
  /** Undefined without a prefix: an id or a name. */
  readonly kind: 'id' | 'name' | undefined;
  readonly value: string;
}

const prefixForm = /^(id|name):(.+)$/su;

export function parseTypedValue(typed: string): TypedValue {
  const [, kind, value] = prefixForm.exec(typed) ?? [];
  return value === undefined ? { kind: undefined, value: typed } : { kind: kind as 'id' | 'name', value };
}

/**
 * Whether an id could be read as the login name of another user: the server accepts e-mail addresses and links as login
 * names only once they are verified, but a user can have one as its id.
 */
export function isNameLikeId(entity: EntityName, id: string): boolean {
  return entity === 'user' && /[@:]/.test(id);
}

/** The name as a value that a command accepts. */
export function toTypedName(name: string): string {
  return parseTypedValue(name).kind === undefined ? name : `name:${name}`;
}

/** The id as a value that a command, a document or a row accepts. */
export function toTypedId(entity: EntityName, id: string): string {
  return isNameLikeId(entity, id) || parseTypedValue(id).kind !== undefined ? `id:${id}` : id;
}

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

/** Why a document must not give this name to something new: there, too, it would look like a reference. */
export function describePrefix(name: string): string | undefined {
  const { kind } = parseTypedValue(name);
  return kind && `must not start with ${kind}:, which commands read as the ${kind} of one that exists`;
}

/** Whether a value has the form of the ids that the server assigns, which needs no lookup. */
export function isAssignedId(value: string): boolean {
  return /^[0-9a-f]{24}$/.test(value);
}

/**
 * Whether an id could be read as the login name of another user: the server accepts e-mail addresses and links as login
 * names only once they are verified, but a user can have one as its id.
 */
export function isNameLikeId(entity: EntityName, id: string): boolean {
  return entity === 'user' && /[@:]/.test(id);
}

/** The name as a value that a command, a document or a row accepts. */
export function toTypedName(entity: EntityName, name: string): string {
  return needsPrefix(entity, name) ? `name:${name}` : name;
}

/** The id as a value that a command, a document or a row accepts. */
export function toTypedId(entity: EntityName, id: string): string {
  return needsPrefix(entity, id) ? `id:${id}` : id;
}

/** Whether the value alone can mean another entity: by its id and by its name, or because it begins as a prefix does. */
function needsPrefix(entity: EntityName, value: string): boolean {
  return isNameLikeId(entity, value) || parseTypedValue(value).kind !== undefined;
}

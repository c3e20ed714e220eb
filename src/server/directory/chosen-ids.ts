/**
 * Who may choose the id of a new object. The fields are those of request bodies that `definition` marks as ids, so that an
 * operation cannot accept a chosen id without this check. Seeds, the bootstrap and the control plane are not bound by it.
 */
import * as z from 'zod';
import type { Definition } from '../../contract/entities.ts';
import { detailedError } from '../../contract/errors.ts';
import { generatedIdForm } from '../../contract/schemas/primitives.ts';
import { overrideTransaction } from '../store/overrides.ts';
import type { Store } from '../store/store.ts';
import { resolveOwner } from './clients.ts';
import type { Principal } from './principal.ts';

/** `all`: every caller chooses ids. `proven`: only administrators and authenticated first-party clients. */
export type ChosenIdsPolicy = 'all' | 'proven';

/** The kinds of names that identify an object permanently. */
const idKinds: readonly string[] = ['id', 'serviceAccount'];

/** An id that a request body chooses for a new object. */
interface ChosenId extends Definition {
  readonly field: string;
  readonly id: string;
}

type ChosenIdReader = (body: unknown) => readonly ChosenId[];

/** Wraps the store for one request: its transactions start only if the caller may choose the ids in the body. */
export type ChosenIdGuard = (store: Store, body: unknown, caller: Principal) => Store;

/** Creates the guard of an operation from the schema of its body. */
export function createChosenIdGuard(schema: z.ZodType | undefined, policy: ChosenIdsPolicy): ChosenIdGuard {
  const readers = schema === undefined ? [] : listReaders(schema, '', (body) => [body]);
  return (store, body, caller) => {
    const chosen = readers.flatMap((read) => read(body));
    if (chosen.length === 0) return store;
    const transaction: Store['transaction'] = async (work) => {
      for (const one of chosen) assertMayChooseId(one, caller, policy);
      return store.transaction(work);
    };
    return overrideTransaction(store, transaction);
  };
}

function listReaders(schema: z.ZodType, field: string, read: (body: unknown) => readonly unknown[]): ChosenIdReader[] {
  const defined = schema.meta()?.['x-defines'] as Definition | undefined;
  if (defined && idKinds.includes(defined.by))
    return [(body) => read(body).flatMap((id) => (typeof id === 'string' ? [{ ...defined, field, id }] : []))];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return listReaders(schema.unwrap() as z.ZodType, field, read);
  if (schema instanceof z.ZodArray)
    return listReaders(schema.element as z.ZodType, field, (body) =>
      read(body).flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])),
    );
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, property]) =>
    listReaders(property, name, (body) =>
      read(body).map((value) => (value as Record<string, unknown> | undefined)?.[name]),
    ),
  );
}

/** @throws IamError ID_NOT_CHOSEN */
function assertMayChooseId(chosen: ChosenId, caller: Principal, policy: ChosenIdsPolicy): void {
  if (isAuthenticatedAdministrator(caller)) return;
  const { entity, by, field, id } = chosen;
  if (generatedIdForm.test(id))
    throw createError(field, 'Ids of the generated form, 24 hexadecimal digits, are chosen by administrators only.');
  if (entity === 'user' && /[@:]/.test(id))
    throw createError(field, 'User ids with @ or a colon are chosen by administrators only.');
  if (policy === 'all' || isAuthenticatedFirstParty(caller)) return;
  if (by !== 'serviceAccount') throw createError(field, 'The caller may not choose this id.');
  const { id: ownerId } = resolveOwner(caller);
  if (id.length <= ownerId.length + 1 || !id.startsWith(`${ownerId}:`))
    throw createError(field, `The service account id of an own client must start with ${ownerId}: and a name.`);
}

function createError(field: string, message: string) {
  return detailedError('ID_NOT_CHOSEN', { field }, message);
}

function isAuthenticatedFirstParty({ roles }: Principal): boolean {
  return roles.has('CLI-1STPARTY') && roles.has('CLI-AUTH-BASIC');
}

/** An administrator that logged in with a password, or authenticated as a client. It counts as proof of ids and names. */
export function isAuthenticatedAdministrator({ roles }: Principal): boolean {
  const isAuthenticated = roles.has('AUTH-BASIC') || roles.has('CLI-AUTH-BASIC');
  return isAuthenticated && (roles.has('ADMIN') || roles.has('IAM_ADMIN_MAINTENANCE'));
}

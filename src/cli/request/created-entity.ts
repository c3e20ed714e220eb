/** What commands created: its ids, where the response has them, and the command that deletes it. */

import type { CallInput } from '../../client/types.ts';
import { type EntityName, entityOf, identifyingProperties, idPropertyOf } from '../../contract/entities.ts';
import type { JsonSchema, Manifest, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { splitSecrets } from '../http/redact.ts';

type Row = Readonly<Record<string, unknown>>;

/** Entities that a command created. */
export interface CreatedEntities {
  readonly ids: readonly string[];
  /** The command that deletes them; undefined if there is none. */
  readonly undo: string | undefined;
  /** The response has a secret that cannot be read again. */
  readonly hasSecret: boolean;
  /** The response is the same for one that existed. */
  readonly mayBeOlder?: true;
}

/** What a response says about the entities that the operation created; undefined if it created none. */
export function describeCreated(
  { operations }: Pick<Manifest, 'operations'>,
  operation: ManifestOperation,
  body: unknown,
  params: CallInput['params'] = {},
): CreatedEntities | undefined {
  const removal = operations.find(
    ({ method, path, params, command }) =>
      method === 'DELETE' && command !== undefined && path === `${operation.path}/{${params.at(-1)?.name}}`,
  );
  if (operation.creates === undefined && !(operation.method === 'POST' && removal)) return undefined;
  const rows = [body].flat().filter(isRow);
  if (rows.some(({ created = true }) => !created)) return undefined;
  const ids = rows.flatMap((row) => findId(row, removal?.params.at(-1), operation.creates) ?? []);
  if (ids.length === 0) return undefined;
  // A user can sign in again for another token.
  const hasSecret =
    idBesideToken(operation) === undefined && Object.keys(splitSecrets(operation.response, body).secrets).length > 0;
  const above = operation.params.map(({ name }) => String(params[name] ?? ''));
  const undo = removal && formatCommand(String(removal.command), [...above, ...ids]);
  return { ids, undo, hasSecret };
}

/** The id in a row: under the name of the parameter that deletes it, or that of its entity, or else the first one. */
function findId(row: Row, target: ManifestField | undefined, created: EntityName | undefined): string | undefined {
  const entity = created ?? target?.schema['x-reference']?.entity;
  const own = [target?.name ?? '', entity === undefined ? '' : idPropertyOf(entity)];
  const others = Object.keys(row).filter((name) => identifyingProperties.has(name));
  const id = [...own, ...others].map((name) => row[name]).find((value) => ['string', 'number'].includes(typeof value));
  return id === undefined ? undefined : String(id);
}

/** What a command created, by the words of the command that deletes it. */
export function createdBy(command: string, id: string): CreatedEntities {
  return { ids: [id], undo: formatCommand(command, [id]), hasSecret: false };
}

function formatCommand(command: string, values: readonly string[]): string {
  return ['iam', command, ...values.map(singleQuote)].join(' ');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

/**
 * The property with the id of the entity, if the response to its creation is a token without it, as for a user. Such a token
 * is printed only on request: it is a credential of someone else, which the caller rarely needs.
 */
export function idBesideToken({ creates, response }: ManifestOperation): string | undefined {
  const fields = response.schema?.properties ?? {};
  const id = creates === undefined ? undefined : entityOf(creates).properties.id;
  return id !== undefined && 'accessToken' in fields && !(id in fields) ? id : undefined;
}

/** Adds the id to a token response: from the token, or from the request if the token is opaque. */
export function addCreatedId(operation: ManifestOperation, requestBody: unknown, responseBody: unknown): unknown {
  const property = idBesideToken(operation);
  if (property === undefined) return responseBody;
  const { accessToken } = responseBody as Row;
  const claims = typeof accessToken === 'string' ? decodeClaims(accessToken) : undefined;
  const id = claims?.sub ?? (requestBody as Row | undefined)?.[property];
  return { ...(id === undefined ? {} : { [property]: id }), ...(responseBody as Row) };
}

/** @throws CliError if the options contradict each other */
export function assertTokenOptions({ printer }: Context, { showToken, secretOutput }: CommandOptions): void {
  if (showToken !== true) return;
  if (secretOutput !== undefined)
    throw usageError(
      '--show-token and --secret-output exclude each other: the token is printed, or written to a file.',
    );
  if (printer.format === 'name')
    throw usageError('-o name does not print the token.', 'Use another format, or omit --show-token.');
}

/** The response without the fields of its token. */
export function omitToken({ response }: ManifestOperation, body: unknown): Row {
  const fields = response.schema?.properties ?? {};
  return Object.fromEntries(Object.entries(body as Row).filter(([name]) => !(name in fields)));
}

export function printedSchema(operation: ManifestOperation, options: CommandOptions): JsonSchema | undefined {
  const { response } = operation;
  const id = idBesideToken(operation);
  const created = options.ifNotExists === true ? { created: { type: 'boolean' } } : {};
  if (id === undefined && options.ifNotExists !== true) return response.schema;
  const fields = id !== undefined && options.showToken !== true ? {} : response.schema?.properties;
  return { properties: { ...(id === undefined ? {} : { [id]: {} }), ...fields, ...created } };
}

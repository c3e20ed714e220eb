/**
 * The id of a created entity, where the response is a token and not the id, as for a user. Such a token is printed only on
 * request: it is a credential of someone else, which the caller rarely needs.
 */

import { entityOf } from '../../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';

type Row = Readonly<Record<string, unknown>>;

/** The property with the id of the entity, if the response to its creation is a token without it. */
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

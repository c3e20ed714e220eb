/** Commands that show one entity of the control plane: clients, businesses, customers and API keys. */

import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import { reference } from '../../contract/entities.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { getTerminalWidth } from '../io/io.ts';
import { type DetailList, formatDetails } from '../output/details.ts';
import type { ListShape } from '../output/list-writer.ts';
import { withNames } from '../output/name-columns.ts';
import type { TableRow } from '../output/table.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import {
  buildListShape,
  callOptionalControlPlane,
  controlPlaneMissingError,
  controlPlaneNote,
} from '../request/control-plane.ts';
import { type EntityRead, withEtag } from '../request/entity-rows.ts';
import { withFileEtag } from '../request/file-etag.ts';
import { getOperation } from '../request/find-operation.ts';
import { findVerbAliases } from '../request/operation-names.ts';
import { listAllEntries } from '../request/pagination.ts';
import { NameResolver } from '../request/resolve-names.ts';
import { addTargetOptions, readEachTarget } from '../request/several-targets.ts';

interface ControlDetail {
  readonly title: string;
  readonly description: string;
  /** Path of the control plane, before the id. */
  readonly path: string;
  readonly argument: string;
  readonly argumentText: string;
  readonly reference: ReturnType<typeof reference>;
  readonly example: string;
  /** Columns of several, the main ones of a table first. */
  readonly shape: ListShape;
  /** Reads the entity through the service API where the control plane cannot be used. */
  readonly fallback?: (context: Context, id: string) => Promise<EntityRead>;
  /** The operation or route that updates it, if no ETag of its reads is of the fields of the update only. */
  readonly update?: string;
}

const clientSource = { path: '/_iam/clients/', update: 'control.update-client' } as const;
const apiKeySource = { path: '/_iam/api-keys/', fallback: findListedApiKey, update: 'api-key.update' } as const;

const missingOperation = 'The service API has no operation for this.';

const details: Readonly<Record<string, ControlDetail>> = {
  clients: {
    title: 'Show a client',
    description: 'Includes the groups and the effective roles of its service account, and no secret.',
    argument: 'client-id',
    argumentText: 'Client id, service account or application',
    reference: reference('client', ['id']),
    example: 'billing-service',
    ...clientSource,
    shape: buildListShape(
      [
        ...['clientId', 'appId', 'serviceAccountId', 'party', 'effectiveRoles', 'authorities', 'scope', 'grantTypes'],
        ...[
          'redirectURIs',
          'audiences',
          'browserLogin',
          'postLogoutRedirectURIs',
          'requirePkce',
          'requirePushedAuthorizationRequests',
          'idTokenAlg',
          'userId',
          'userName',
          'businessId',
          'businessName',
          'ownerClientId',
          'ownerClientName',
        ],
        ...[
          'organizationId',
          'businessUnitId',
          'factorVisibility',
          'createdAt',
          'secretRotatedAt',
          'previousSecretEndsAt',
          'groups',
          'groupCount',
          'effectiveRoleCount',
        ],
      ],
      5,
    ),
  },
  businesses: {
    title: 'Show a business',
    description:
      'Includes its customer, its corporate group, and the groups and effective roles that all its users get.',
    path: '/_iam/businesses/',
    argument: 'business-id',
    argumentText: 'Business id or name',
    reference: reference('business', ['id']),
    example: 'acme',
    shape: buildListShape(
      [
        ...['businessId', 'businessName', 'document', 'customerId', 'effectiveRoles', 'corporateGroupId'],
        ...[
          'corporateGroupName',
          'organizationId',
          'businessUnitId',
          'createdAt',
          'groups',
          'groupCount',
          'effectiveRoleCount',
        ],
      ],
      5,
    ),
  },
  customers: {
    title: 'Show a customer',
    description: 'A customer is a user or a business.',
    path: '/_iam/customers/',
    argument: 'customer-id',
    argumentText: 'Number, name or document of the customer, or id of its business or user',
    reference: reference('customer', ['id']),
    example: 'CUSTOMER_ID',
    shape: {
      ...buildListShape(['customerId', 'name', 'document', 'userId', 'userName', 'businessId', 'createdAt'], 6),
      text: ['name'],
    },
  },
  'api-key': {
    title: 'Show an API key',
    description:
      'Without the key itself; hint contains its last characters. After a rotation, shows until when the previous value is valid.',
    argument: 'api-key-id',
    argumentText: 'API key id, or the application or client of the key',
    reference: reference('apiKey', ['id']),
    example: 'billing',
    shape: buildListShape(
      [
        ...['apiKeyId', 'appId', 'clientId', 'clientName', 'hint', 'createdAt', 'lastUsedAt'],
        ...['rotatedAt', 'previousHint', 'previousKeyEndsAt'],
      ],
      7,
      { clientId: reference('client', ['id']) },
    ),
    ...apiKeySource,
  },
};

/** Adds `get` to `clients`, `businesses`, `customers` or `api-key`. */
export function addControlGet(noun: Command, runtime: CliRuntime): void {
  const detail = details[noun.name()];
  if (!detail) throw new Error(`no get command for ${noun.name()}`);
  const source = detail.fallback
    ? `Uses the control plane of the server under /_iam, or the list of the service API where the control plane cannot be used.`
    : `${missingOperation} ${controlPlaneNote}`;
  const command = addCommand(noun, 'get', {
    title: detail.title,
    description: `${detail.description} ${source}`,
    ...(detail.fallback ? { roles: getOperation(runtime.manifest, 'api-key.list').roles } : {}),
    effect: 'read',
    examples: [
      { title: 'As a table', command: detail.example },
      { title: 'As JSON', command: `${detail.example} -o json` },
    ],
  })
    .aliases(findVerbAliases('get'))
    .argument(`<${detail.argument}...>`, detail.argumentText);
  addTargetOptions(command, { effect: 'read' });
  declareValueSources(command, { [detail.argument]: detail.reference });
  setAction(command, runtime, (context, [ids]) =>
    printEntities(context, ids, {
      reference: detail.reference,
      read: (id) => readEntityDetail(context, detail, id),
      shape: detail.shape,
    }),
  );
}

/** Reads the entity with this id, with the ETag of its file if an operation or a route updates it. */
export async function readEntityDetail(
  context: Context,
  { path, fallback, update }: Pick<ControlDetail, 'path' | 'fallback' | 'update'>,
  id: string,
): Promise<EntityRead> {
  const found = await readControlDetails(context, path + encodeURIComponent(id));
  const complete = (read: EntityRead) => (update === undefined ? read : withFileEtag(context, update, read));
  if ('entity' in found) return complete(found);
  if (fallback) return complete(await fallback(context, id));
  throw found.rejection ?? controlPlaneMissingError(context, missingOperation);
}

/** An entity, or why the control plane does not return it: it is missing, or rejects the caller. */
export type ControlDetails = EntityRead | { readonly rejection?: ClientError };

/** An API key for `get` and `update`. */
export function readApiKey(context: Context, id: string): Promise<EntityRead> {
  return readEntityDetail(context, apiKeySource, id);
}

/** A client for `get` and `update`. */
export function readClient(context: Context, id: string): Promise<EntityRead> {
  return readEntityDetail(context, clientSource, id);
}

/** Reads an entity of the control plane. @throws ClientError if it does not exist */
export async function readControlDetails(context: Context, path: string): Promise<ControlDetails> {
  const { body, etag, rejection } = await readControl(context, path);
  if (rejection) return { rejection };
  // Another product may respond to any path.
  const isEntity = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isEntity ? { entity: body as TableRow, etag } : {};
}

interface ControlRead {
  readonly body?: unknown;
  readonly etag?: string | undefined;
  readonly rejection?: ClientError;
}

/** Reads a path of the control plane; the result is empty if the server has none. @throws ClientError if it does not exist */
export async function readControl(context: Context, path: string): Promise<ControlRead> {
  try {
    const response = await callOptionalControlPlane(context, 'GET', path, {});
    return response ? { body: response.body, etag: response.headers.etag } : {};
  } catch (error) {
    if (error instanceof ClientError && (error.status === 401 || error.status === 403)) return { rejection: error };
    throw error;
  }
}

/** Groups of an entity, as a table. */
export const groupList: DetailList = {
  property: 'groups',
  toRow: ({ groupName, groupId, kind }) => ({ groupName, groupId, membership: kind }),
};

export interface EntityReader {
  /** What the arguments refer to, by id or by name. */
  readonly reference: ReturnType<typeof reference>;
  read(id: string): Promise<EntityRead>;
  /** The columns of several entities. */
  readonly shape: ListShape;
  /** Lists of one entity that are tables of their own. */
  readonly lists?: readonly DetailList[];
  /** The entity for people. */
  readonly summarize?: (entity: TableRow) => TableRow;
}

/** Prints one entity, for people as fields and tables, or several as one list. */
export async function printEntities(
  context: Context,
  ids: string | readonly string[] | undefined,
  reader: EntityReader,
): Promise<void> {
  const [first = '', ...others] = new Set([ids ?? []].flat());
  const names = new NameResolver(context);
  const read = async (typed: string) => reader.read(await names.resolve(reader.reference['x-reference'], typed));
  if (others.length === 0) return printEntity(context, await read(first), reader);
  await readEachTarget(context, [first, ...others], { ...reader, read: async (typed) => (await read(typed)).entity });
}

async function printEntity(
  context: Context,
  read: EntityRead,
  { lists = [groupList], summarize = (all) => all, shape }: EntityReader,
): Promise<void> {
  const { printer, settings, io } = context;
  const { entity } = read;
  if (!printer.isForPeople || settings.options.columns !== undefined) return printer.value(withEtag(printer, read));
  const { groupCount, effectiveRoleCount, ...shown } = summarize(entity);
  const named = await withNames(shown, shape.schema, context.findNames);
  printer.verbatim(await formatDetails(named, lists, getTerminalWidth(io.stdout)));
  noticeIncomplete(context, entity.groups, groupCount, 'groups');
  noticeIncomplete(context, entity.effectiveRoles, effectiveRoleCount, 'effective roles');
}

function noticeIncomplete(context: Context, listed: unknown, count: unknown, what: string): void {
  if (Array.isArray(listed) && typeof count === 'number' && count > listed.length)
    context.notice(`Showing the first ${listed.length} of ${count} ${what}.`);
}

async function findListedApiKey(context: Context, id: string): Promise<EntityRead> {
  const rows = await listAllEntries(context, getOperation(context.manifest, 'api-key.list'));
  const found = (rows as readonly TableRow[]).find(({ apiKeyId }) => apiKeyId === id);
  if (found) return { entity: found };
  const code: ErrorCode = 'API_KEY_NOT_FOUND';
  throw new CliError(`${id}: API key not found.`, {
    code,
    exitCode: 3,
    hint: 'List API keys with `iam api-key list`.',
  });
}

/**
 * The rule for writes that give ADMIN or an IAM_ADMIN role: the command says who would gain it and asks, or needs --yes. A
 * write gives such a role if it names the role, a group that has it itself or through dependencies, or as the business of a
 * user one whose groups have it; DELETE gives nothing. All commands use it with what their operation declares;
 * test/cli/conformance/grants.test.ts walks them.
 */
import type { CallInput } from '../../../client/types.ts';
import type { EntityName, Reference } from '../../../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../../../contract/manifest-types.ts';
import { isAdministrativeRole, stripRolePrefix } from '../../../contract/roles.ts';
import { resolveSafetyRules } from '../../config/safety.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { requireSendableCredentials } from '../../http/connection.ts';
import { formatNamedId, nameKey } from '../../output/name-columns.ts';
import { assertReferencesExist } from '../assert-exists.ts';
import { assertConfirmed } from '../confirm.ts';
import { isRoute } from '../find-operation.ts';
import { listReferences, type ReferenceValue } from '../request-spec.ts';
import { type AdministrativeGroup, GroupRoleReader, type RoleReader } from './group-roles.ts';

type GrantOperation = Pick<
  ManifestOperation,
  'id' | 'auth' | 'effect' | 'method' | 'params' | 'query' | 'body' | 'creates'
>;

/** A write, and what it replaces. */
export interface RoleWrite {
  readonly operation: GrantOperation;
  readonly input: Pick<CallInput, 'params' | 'query' | 'body'>;
  /** The entity before an update, or the members of a group among those that are added: they gain nothing. */
  readonly before?: object;
}

/** Whether a write of the operation can give roles: it refers to what has them. */
export function canGrant(operation: GrantOperation): boolean {
  const { effect, method, params, body = {} } = operation;
  if (effect === 'read' || method === 'DELETE') return false;
  return [...params.map(({ schema }) => schema), body].some((schema) => refersToRoles(operation, schema));
}

function refersToRoles(operation: GrantOperation, schema: JsonSchema): boolean {
  const { properties = {}, items, anyOf = [], 'x-reference': reference } = schema;
  if (reference && givesRoles(operation, reference)) return true;
  const below = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return below.some((one) => refersToRoles(operation, one));
}

/** A business gives its roles to its users only, not to clients that it owns or to its corporate group. */
function givesRoles({ creates, params }: GrantOperation, { entity }: Reference): boolean {
  if (entity !== 'business') return entity === 'group' || entity === 'role';
  return (creates ?? params.at(-1)?.schema['x-reference']?.entity) === 'user';
}

/** The administrative roles that a write names, and the groups and businesses that can have some. It gives no others. */
export function listGrantReferences({ operation, input }: RoleWrite): readonly ReferenceValue[] {
  if (!canGrant(operation)) return [];
  return [...listInPath(operation, input), ...listInBody(operation, input.body)].filter(
    ({ reference, value }) =>
      givesRoles(operation, reference) && (reference.entity !== 'role' || isAdministrativeRole(value)),
  );
}

function listInPath({ params, query }: GrantOperation, input: RoleWrite['input']): readonly ReferenceValue[] {
  return listReferences({ params, query }, { params: input.params ?? {}, query: input.query ?? {}, body: undefined });
}

function listInBody({ body: schema }: GrantOperation, body: unknown): readonly ReferenceValue[] {
  if (!schema) return [];
  return listReferences({ params: [], query: [], body: schema }, { params: {}, query: {}, body });
}

/** Who gains an administrative role. */
export interface Gain {
  readonly who: string;
  readonly role: string;
  /** The group or the business that has it. */
  readonly through?: string;
}

/**
 * Who would gain administrative roles by the requests, a text for each; empty if they give none.
 * @param isPreview what cannot be read is left out
 */
export async function describeGrants(
  context: Context,
  requests: readonly RoleWrite[],
  isPreview = false,
): Promise<readonly string[]> {
  const naming = requests.filter((request) => listGrantReferences(request).length > 0);
  const reader = new GroupRoleReader(context, isPreview);
  const gains: Gain[] = [];
  for (const request of naming) gains.push(...(await findGains(context, reader, request)));
  return describeGains(gains);
}

/** A text for each who gains and each group or business that gives. */
export function describeGains(gains: readonly Gain[]): readonly string[] {
  const lines = new Map<string, { readonly gain: Gain; readonly roles: Set<string> }>();
  for (const gain of gains) {
    const key = JSON.stringify([gain.who, gain.through]);
    const line = lines.get(key) ?? { gain, roles: new Set() };
    lines.set(key, { ...line, roles: line.roles.add(gain.role) });
  }
  return [...lines.values()].map(({ gain: { who, through }, roles }) => {
    const suffix = through === undefined ? '' : ` through ${through}`;
    return `${who} would gain ${[...roles].sort().join(', ')}${suffix}`;
  });
}

/** Who would gain which administrative roles by a request that names some, or what has some. */
export async function findGains(
  context: Pick<Context, 'findNames'>,
  reader: RoleReader,
  { operation, input, before }: RoleWrite,
): Promise<readonly Gain[]> {
  const inPath = listInPath(operation, input);
  const kept = new Set(listInBody(operation, before).map(keyOf));
  const inBody = listInBody(operation, input.body).filter((one) => !kept.has(keyOf(one)));
  const owner = inPath.findLast(({ reference }) => reference.entity === 'group')?.value;
  const members = inBody.filter(({ reference }) => !givesRoles(operation, reference));
  if (owner !== undefined && members.length > 0) {
    const group = await reader.read(owner);
    if (!group || group.roles.size === 0) return [];
    const who = await describeMembers(context, members, inPath);
    return [...group.roles].map((role) => ({ who, role, through: group.name }));
  }
  const given: Omit<Gain, 'who'>[] = [];
  for (const one of inBody) {
    const { reference, value } = one;
    if (reference.entity === 'role' && isAdministrativeRole(value)) given.push({ role: stripRolePrefix(value) });
    if (reference.entity === 'business') {
      const roles = await reader.readBusiness(value);
      const through = roles.size === 0 ? value : (await createFormat(context, [one]))(one);
      for (const role of roles) given.push({ role, through });
    }
    if (reference.entity !== 'group') continue;
    const group = await reader.read(value);
    for (const role of group?.roles ?? []) given.push({ role, through: group?.name ?? value });
  }
  if (given.length === 0) return [];
  const holder = owner === undefined ? undefined : await reader.read(owner);
  const gained = given.filter(({ role }) => !holder?.roles.has(role));
  if (gained.length === 0) return [];
  const who =
    owner === undefined ? await describeTarget(context, operation, input, inPath) : describeGroup(owner, holder);
  return gained.map((gain) => ({ who, ...gain }));
}

/** Equal for values that name the same. */
function keyOf({ reference: { entity }, value }: ReferenceValue): string {
  return `${entity} ${entity === 'role' ? stripRolePrefix(value) : value.normalize('NFC')}`;
}

function describeGroup(typed: string, group: AdministrativeGroup | undefined): string {
  const count = group?.members === undefined ? '' : ` (${group.members})`;
  const above = group?.hasDependents ? ' and of groups that depend on it' : '';
  return `the members of ${group?.name ?? typed}${count}${above}`;
}

const maxListed = 10;

/** `user u1 (alice), user u2 (bob) and 3 more`; of a business, if the path names one. */
async function describeMembers(
  context: Pick<Context, 'findNames'>,
  members: readonly ReferenceValue[],
  inPath: readonly ReferenceValue[],
): Promise<string> {
  const shown = members.slice(0, maxListed);
  const scope = inPath.filter(({ reference }) => reference.entity !== 'group');
  const format = await createFormat(context, [...shown, ...scope]);
  const more = members.length > shown.length ? ` and ${members.length - shown.length} more` : '';
  const suffix = scope.length === 0 ? '' : ` of ${scope.map(format).join(' ')}`;
  return `${shown.map(format).join(', ')}${more}${suffix}`;
}

/** The members of a new group, a new user, or the entity that the path names. */
async function describeTarget(
  context: Pick<Context, 'findNames'>,
  { body: schema, creates }: GrantOperation,
  { body }: RoleWrite['input'],
  inPath: readonly ReferenceValue[],
): Promise<string> {
  if (creates !== undefined) {
    const [name = ''] =
      Object.entries(schema?.properties ?? {}).find(([, property]) => property['x-defines']?.by === 'name') ?? [];
    const value = String((body as Readonly<Record<string, unknown>>)[name]);
    return creates === 'group' ? describeGroup(value, undefined) : `${creates} ${value}`;
  }
  const format = await createFormat(context, inPath);
  return inPath.map(format).join(' ');
}

/** Formats entities with their names: `user u1 (alice)`. */
async function createFormat(
  { findNames }: Pick<Context, 'findNames'>,
  values: readonly ReferenceValue[],
): Promise<(value: ReferenceValue) => string> {
  const names = await findNames(values.map(({ value }) => value));
  return ({ reference, value }) =>
    `${nounOf(reference)} ${formatNamedId(value, names.get(nameKey(reference.entity, value)))}`;
}

function nounOf({ entity, by }: Reference): EntityName | 'service' {
  return entity === 'client' && by[0] === 'serviceAccount' ? 'service' : entity;
}

/** Whether the options of the command line confirm what a command would ask. */
export function isConfirmedBefore({ settings }: Pick<Context, 'settings'>, options: CommandOptions): boolean {
  return options.yes === true && !resolveSafetyRules(settings).isProtected;
}

/** Whether `confirmGrants` has to read whether the write gives administrative roles. */
export function mayAskForGrants(context: Context, request: RoleWrite, options: CommandOptions): boolean {
  return !isConfirmedBefore(context, options) && listGrantReferences(request).length > 0;
}

/** Asks whether to give administrative roles, if the requests do. @throws CliError if it is not confirmed */
export async function confirmGrants(
  context: Context,
  requests: readonly RoleWrite[],
  options: CommandOptions,
  stdinIsData = false,
): Promise<void> {
  const naming = requests.filter((request) => mayAskForGrants(context, request, options));
  if (naming.length === 0) return;
  // A local server shows its groups without credentials, but a question would be in vain.
  if (naming.some(({ operation }) => operation.auth === 'caller' && !isRoute(operation)))
    requireSendableCredentials(context.settings);
  const grants = await describeGrants(context, naming);
  if (grants.length === 0) return;
  await assertConfirmed(context, `${formatGrants(grants)} Continue?`, options, stdinIsData, {
    assertExists: async () => {
      for (const { operation, input } of naming) await assertReferencesExist(context, operation, input);
    },
  });
}

/** With --dry-run: prints who would gain administrative roles. */
export async function noticeGrants(context: Context, requests: readonly RoleWrite[]): Promise<void> {
  const grants = await describeGrants(context, requests, true);
  if (grants.length > 0) context.notice(formatGrants(grants));
}

/** As sentences. */
export function formatGrants(grants: readonly string[]): string {
  return grants.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join(' ');
}

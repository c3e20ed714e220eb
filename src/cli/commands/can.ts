/** `iam can`: checks whether a user or service has a role, and through which groups. */
import type { Command } from 'commander';
import type { CallInput } from '../../client/types.ts';
import { reference } from '../../contract/entities.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { isReservedRole, stripRolePrefix } from '../../contract/roles.ts';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { CliError, categoryOf, QuietExit, usageError } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';
import type { TableRow } from '../output/table.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { assertQueryExists } from '../request/assert-exists.ts';
import { callOperation, tryOperation } from '../request/call-operation.ts';
import { getOperation } from '../request/find-operation.ts';
import { NamedNotFoundError } from '../request/not-found.ts';
import { NameResolver, type ReferencedId } from '../request/resolve-names.ts';
import { readControl, readControlDetails } from './control-details.ts';

const canText: Omit<CommandDescription, 'title'> = {
  description:
    'Also shows the groups that grant the role: `leads > ops` is the group leads, which depends on ops. A service also has the authorities of its client. Exits with 0 for yes and 1 for no. With --business, only roles that the user has on behalf of that business count. For a locked user, and for a service whose owner is locked or was removed, the answer is no, with what it would have. Locks, owners and authorities are read from the control plane of the server under /_iam; where it cannot be used, a notice says so.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Check a user', command: 'alice DEPLOY' },
    { title: 'Check a service in a script', command: 'billing-service DEPLOY -q' },
    { title: 'Check a user on behalf of a business', command: 'alice APPROVE --business acme -o json' },
  ],
};

const user = reference('user', ['id']);
const service = reference('client', ['serviceAccount']);
const business = reference('business', ['id']);

export function addCan(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'can', { title, ...canText })
    .argument('<subject>', 'User id or login name, or service account id of a client')
    .argument('<role>', 'Role')
    .option('--business <business>', 'id or name of the business that the user acts on behalf of');
  declareValueSources(command, {
    subject: [user, service],
    role: reference('role', ['name']),
    '--business': business,
  });
  setAction(command, runtime, (context, [subject, role], options) =>
    can(context, String(subject), stripRolePrefix(String(role)), options),
  );
}

interface RoleSource {
  readonly role: string;
  readonly groupNames: readonly string[];
}

interface RoleHolder {
  readonly kind: 'user' | 'service';
  readonly roles: readonly RoleSource[];
  /** The id of the user or service. */
  readonly id: string;
}

/** A user that is locked, or an owner that was removed. */
interface Obstacle {
  readonly kind: 'user' | 'business' | 'client';
  readonly id: string;
  readonly state: 'locked' | 'removed';
}

interface Decision {
  /** The subject and the owner with their names. */
  readonly who: string;
  readonly owner: string;
  readonly id: string;
  readonly role: string;
  readonly hasRole: boolean;
  /** The role is one of the authorities of the client. */
  readonly isAssigned: boolean;
  /** Why it cannot sign in; undefined if it can, and where the server does not say so. */
  readonly obstacle: Obstacle | undefined;
  readonly rolePaths: readonly (readonly string[])[];
}

async function can(context: Context, subject: string, role: string, options: CommandOptions): Promise<void> {
  if (isReservedRole(role))
    throw usageError(
      `${role} is granted by the service at login, not by groups.`,
      `See \`iam whoami\`.${role === 'AUTH-MFA' ? ' A client obtains it by `authorities: [AUTH-MFA]` in a seed.' : ''}`,
    );
  const names = new NameResolver(context);
  const businessId = await names.resolveOptional(business, options.business);
  const { kind, roles, id } = await findRoleHolder(context, names, subject, businessId);
  const reader = new ObstacleReader(context);
  const client = kind === 'service' ? await reader.findClient(id) : undefined;
  const isAssigned = toTexts(client?.authorities).map(stripRolePrefix).includes(role);
  const source = roles.find((one) => one.role === role);
  const through = source?.groupNames ?? [];
  const hasRole = source !== undefined || isAssigned;
  if (kind === 'service' && !hasRole && !client)
    context.notice(`Whether ${role} is one of the authorities of its client is unknown. ${reader.unknownReason}`);
  const found = hasRole ? await findObstacle(context, reader, kind === 'user' ? id : client) : undefined;
  const obstacle = found === 'unknown' ? undefined : found;
  const allowed = hasRole && obstacle === undefined;
  const rolePaths = await Promise.all(through.map((groupName) => findRolePath(context, groupName, role)));
  if (context.printer.isForPeople) {
    const shown: ReferencedId[] = kind === 'user' ? [{ entity: kind, id }] : [];
    if (obstacle) shown.push({ entity: obstacle.kind, id: obstacle.id });
    await names.readNames(shown, context.findNames);
    const who = subject === id ? names.format(id) : subject;
    const owner = names.format(obstacle?.id ?? '');
    context.printer.lines([
      hasRole || (await isGranted(context, role))
        ? formatDecision({ who, owner, id, role, hasRole, isAssigned, obstacle, rolePaths })
        : `no: ${escapeControls(who)} does not have ${escapeControls(role)}, which no group grants`,
    ]);
  } else {
    const locked = kind === 'user' && hasRole && found !== 'unknown' ? obstacle !== undefined : undefined;
    const owner = kind === 'service' ? obstacle : undefined;
    const authority = isAssigned || undefined;
    const ways = rolePaths;
    await context.printer.value({ subject, kind, role, businessId, allowed, locked, owner, authority, through, ways });
  }
  if (!allowed) throw new QuietExit(1);
}

/** The service API returns the roles of those who cannot sign in as those of others. */
async function findObstacle(
  context: Context,
  reader: ObstacleReader,
  holder: string | TableRow | undefined,
): Promise<Obstacle | 'unknown' | undefined> {
  const isUser = typeof holder === 'string';
  const found = await (isUser ? reader.ofUser(holder) : reader.ofClient(holder));
  if (found !== 'unknown') return found;
  const what = isUser ? 'the user is locked' : 'the owner of the service is locked or was removed';
  context.notice(`Whether ${what} is unknown. ${reader.unknownReason}`);
  return found;
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The clients with a name among which the one of a service is searched. */
const maxClients = 100;

type Found = Obstacle | 'unknown' | undefined;

/** Finds what keeps a user, or a service and the owners of its client, from signing in. */
class ObstacleReader {
  readonly #context: Context;
  /** Why the last read was rejected. */
  #rejection: string | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Why the last read returned nothing. */
  get unknownReason(): string {
    return this.#rejection ?? 'The server has no control plane, or its version lacks this route.';
  }

  async ofUser(id: string): Promise<Found> {
    const user = await this.#read('user', id);
    if (user === 'removed') return { kind: 'user', id, state: 'removed' };
    if (typeof user?.locked !== 'boolean') return 'unknown';
    return user.locked ? { kind: 'user', id, state: 'locked' } : undefined;
  }

  /** The client of a service; undefined if it cannot be read. */
  async findClient(serviceAccountId: string): Promise<TableRow | undefined> {
    const query = `?name=${encodeURIComponent(serviceAccountId)}&limit=${maxClients}`;
    const found = await readControl(this.#context, `/_iam/clients${query}`);
    this.#rejection = found.rejection?.message;
    if (!Array.isArray(found.body)) return undefined;
    return (found.body as readonly TableRow[]).find((one) => one.serviceAccountId === serviceAccountId);
  }

  /** Clients can own clients. */
  async ofClient(client: TableRow | undefined, seen: readonly unknown[] = []): Promise<Found> {
    if (!client) return 'unknown';
    const { userId, businessId, ownerClientId } = client;
    if (typeof userId === 'string') {
      const found = await this.ofUser(userId);
      if (found) return found;
    }
    if (typeof businessId === 'string') {
      const owner = await this.#read('business', businessId);
      if (owner === 'removed') return { kind: 'business', id: businessId, state: 'removed' };
      if (!owner) return 'unknown';
    }
    if (typeof ownerClientId !== 'string' || seen.includes(ownerClientId)) return undefined;
    const owner = await this.#read('client', ownerClientId);
    if (owner === 'removed') return { kind: 'client', id: ownerClientId, state: 'removed' };
    return this.ofClient(owner, [...seen, ownerClientId]);
  }

  async #read(kind: keyof typeof paths, id: string): Promise<TableRow | 'removed' | undefined> {
    try {
      const details = await readControlDetails(this.#context, paths[kind] + encodeURIComponent(id));
      this.#rejection = 'rejection' in details ? details.rejection?.message : undefined;
      return 'entity' in details ? details.entity : undefined;
    } catch (error) {
      if (categoryOf(this.#context.manifest, error) === 'not-found') return 'removed';
      throw error;
    }
  }
}

const paths = { user: '/_iam/users/', business: '/_iam/businesses/', client: '/_iam/clients/' } as const;

function formatDecision({ id, role, hasRole, isAssigned, obstacle, rolePaths, ...named }: Decision): string {
  const [who, owner, what] = [named.who, named.owner, role].map(escapeControls);
  if (!hasRole) return `no: ${who} does not have ${what}`;
  const groupTexts = rolePaths.map((groups) => groups.map(escapeControls).join(' > '));
  const through = [...groupTexts, ...(isAssigned ? ['the authorities of its client'] : [])].join(', ');
  if (!obstacle) return `yes: ${who} has ${what} through ${through}`;
  if (obstacle.id === id) return `no: ${who} is locked. Unlocked, ${who} has ${what} through ${through}`;
  const state = obstacle.state === 'locked' ? 'is locked' : 'was removed';
  return `no: ${who} cannot sign in, because its owner, the ${obstacle.kind} ${owner}, ${state}. Otherwise ${who} has ${what} through ${through}`;
}

/** Whether a group grants the role; true where the caller may not list groups. */
async function isGranted(context: Context, role: string): Promise<boolean> {
  try {
    const { body } = await callOperation(context, 'groups.list', { query: { role, limit: 1 } });
    return !Array.isArray(body) || body.length > 0;
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return true;
  }
}

/** Looks up a user, then a service: user ids and service account ids share one namespace. */
async function findRoleHolder(
  context: Context,
  names: NameResolver,
  subject: string,
  businessId: string | undefined,
): Promise<RoleHolder> {
  const userId = await names.resolve(user['x-reference'], subject);
  const userRoles = 'user-accesses.list-user-roles';
  const query = { businessId };
  const asUser = await findRoles(context, userRoles, userId, query, businessId === undefined).catch(async (error) => {
    await assertQueryExists(context, getOperation(context.manifest, userRoles), { query }, error);
    throw error instanceof NamedNotFoundError ? error.withNames((value) => names.format(value)) : error;
  });
  if (asUser) return { kind: 'user', roles: asUser, id: userId };
  const serviceId = await names.resolve(service['x-reference'], subject);
  const asService = await findRoles(context, 'service-accesses.list-service-roles', serviceId, {}, true);
  if (asService) return { kind: 'service', roles: asService, id: serviceId };
  throw new CliError(`User or service ${JSON.stringify(subject)} not found.`, {
    code: 'SUBJECT_NOT_FOUND',
    exitCode: 3,
    hint: 'Find the id with `iam users list` or `iam clients list`.',
  });
}

const notFoundCodes: readonly string[] = ['USER_NOT_FOUND', 'SERVICE_NOT_FOUND'] satisfies ErrorCode[];

/** Returns undefined if the subject does not exist and `isOptional` is set. */
async function findRoles(
  context: Context,
  id: string,
  subject: string,
  query: CallInput['query'],
  isOptional: boolean,
): Promise<readonly RoleSource[] | undefined> {
  const names = getOperation(context.manifest, id).params.map(({ name }) => name);
  const params = Object.fromEntries(names.map((name) => [name, subject]));
  const response = await tryOperation(context, id, { params, query }, ...(isOptional ? notFoundCodes : []));
  return response?.body as readonly RoleSource[] | undefined;
}

interface GroupView {
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly dependencies: readonly { readonly groupName: string }[];
}

/** Upper bound for groups that are requested; beyond it the path is omitted. */
const maxGroups = 100;

/**
 * Returns the shortest dependency path from a group to one with the role, both ends included (breadth-first search).
 * @returns only the start if no path is found, because the groups changed or the limit was reached
 */
async function findRolePath(context: Context, start: string, role: string): Promise<string[]> {
  const paths = new Map([[start, [start]]]);
  // Iterating a Map includes entries added during the iteration, so it serves as the queue.
  for (const [name, rolePath] of paths) {
    if (paths.size > maxGroups) break;
    const group = await findGroup(context, name);
    if (group?.roles.map(stripRolePrefix).includes(role)) return rolePath;
    for (const { groupName } of group?.dependencies ?? [])
      if (!paths.has(groupName)) paths.set(groupName, [...rolePath, groupName]);
  }
  return [start];
}

async function findGroup(context: Context, groupId: string): Promise<GroupView | undefined> {
  const response = await tryOperation(context, 'groups.get', { params: { groupId } }, 'GROUP_NOT_FOUND');
  return response?.body as GroupView | undefined;
}

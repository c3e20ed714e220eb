/** What would let a rejected request pass: by the current roles of its caller, which may have changed since. */
import * as z from 'zod';
import {
  administrativePower,
  isReservedRole,
  listMissingAlternatives,
  type MissingAuthorities,
} from '../../../../contract/roles.ts';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { signInLevels } from '../../../../contract/testing/sign-in-levels.ts';
import { computeLevel } from '../../../directory/authentication-levels.ts';
import { partyRole } from '../../../directory/clients.ts';
import { resolveEffectiveRoles } from '../../../directory/group-roles.ts';
import { resolveUserRoles } from '../../../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../../../lib/clock.ts';
import type { RequestLogEntry } from '../../../observability/request-log.ts';
import type { Reader } from '../../../store/store.ts';
import type { Client, Group, User } from '../../../store/tables.ts';

const roleNames = z.array(z.string());

export const RequestCure = z.union([
  z.strictObject({
    kind: z.literal('add-to-group'),
    groupId: exampleText('64b0c0ffee00000000000001'),
    groupName: exampleText('ops'),
    memberKind: z.enum(['user', 'service']).meta({ examples: ['user'] }),
    memberId: exampleText('alice', 'Id of the user, or of the service account of the client'),
    memberName: exampleText('alice'),
    gains: roleNames.meta({ description: 'Roles that the member does not have yet', examples: [['DEPLOY']] }),
    lacks: roleNames.meta({ description: 'Required roles that the group does not give either', examples: [[]] }),
  }),
  z.strictObject({
    kind: z.literal('sign-in'),
    userId: exampleText('alice'),
    userName: exampleText('alice'),
    level: z.enum(signInLevels).describe('The level that the operation requires, at least that of the session'),
  }),
  z.strictObject({
    kind: z.literal('unlock'),
    userId: exampleText('alice'),
    userName: exampleText('alice'),
  }),
]);

type Cure = z.input<typeof RequestCure>;
type Level = (typeof signInLevels)[number];

type GroupCure = Pick<Extract<Cure, { kind: 'add-to-group' }>, 'kind' | 'groupId' | 'groupName' | 'gains' | 'lacks'>;

interface Caller {
  readonly client: Client | undefined;
  readonly user: User | undefined;
}

interface CureDeps {
  readonly store: Reader;
  readonly clock: Clock;
}

/** The groups for a role that are considered. */
const maxGroups = 10;

/** @param caller that of the request, or whom its rejected credentials name */
export async function findCures(entry: RequestLogEntry, caller: Caller, deps: CureDeps): Promise<Cure[]> {
  const isRejectedToken = entry.caller === undefined && entry.credential === 'bearer';
  if (entry.errors.length === 0 || !entry.operation || !(entry.caller || isRejectedToken)) return [];
  return caller.user
    ? findCuresOfUser(entry, caller.user, caller.client, deps)
    : findCuresOfClient(entry, caller, deps);
}

async function findCuresOfUser(
  entry: RequestLogEntry,
  user: User,
  client: Client | undefined,
  { store, clock }: CureDeps,
): Promise<Cure[]> {
  const { userId, userName, locked } = user;
  const session = entry.caller?.session;
  const current = session && computeLevel(session, epochSeconds(clock));
  const before: Level = current === undefined || current === 'NONE' ? 'AUTH-BASIC' : current;
  const ofClient = client ? ['CLI-AUTH-IDENTIFIED', partyRole(client)] : [];
  const rolesAt = async (level: Level) => new Set([...ofClient, ...(await resolveUserRoles(store, user, level))]);
  const findMissing = async (level: Level) => findMissingOf(entry, await rolesAt(level), new Set(client?.scope ?? []));
  const atLevel = await findMissing(before);
  const level = requiresMfa(entry, atLevel) ? 'AUTH-MFA' : before;
  const alternatives = level === before ? atLevel : await findMissing(level);
  const member = { memberKind: 'user', memberId: userId, memberName: userName } as const;
  const isSignInNeeded = entry.caller === undefined || level !== current;
  return [
    ...(locked ? [{ kind: 'unlock', userId, userName } as const] : []),
    ...(isSignInNeeded ? [{ kind: 'sign-in', userId, userName, level } as const] : []),
    ...(await findGroups(store, alternatives, await rolesAt(level))).map((group) => ({ ...group, ...member })),
  ];
}

/** Errors about administrative objects name the second factor beside the roles of the operation. */
function requiresMfa({ errors }: RequestLogEntry, [first]: readonly MissingAuthorities[]): boolean {
  return errors.some(({ code }) => code === 'MFA_MISSING') || first?.missingRoles.includes('AUTH-MFA') === true;
}

/** A client is a member of groups by its service account. */
async function findCuresOfClient(entry: RequestLogEntry, { client }: Caller, { store }: CureDeps): Promise<Cure[]> {
  const memberId = client?.serviceAccountId;
  if (memberId === undefined || !entry.caller) return [];
  const { roles, scope } = entry.caller;
  const alternatives = findMissingOf(entry, roles, scope);
  const member = { memberKind: 'service', memberId, memberName: memberId } as const;
  return (await findGroups(store, alternatives, roles)).map((group) => ({ ...group, ...member }));
}

function findMissingOf(
  { operation }: RequestLogEntry,
  roles: ReadonlySet<string>,
  scope: ReadonlySet<string>,
): readonly MissingAuthorities[] {
  return operation ? listMissingAlternatives(operation.roles, { roles, scope }) : [];
}

/**
 * Groups that give the roles of an alternative: first those that lack fewest of them, of these the ones with the least
 * administrative power, then the ones that give least besides.
 */
async function findGroups(
  store: Reader,
  alternatives: readonly MissingAuthorities[],
  roles: ReadonlySet<string>,
): Promise<GroupCure[]> {
  const sets = alternatives.map(({ missingRoles }) => missingRoles.filter((role) => !isReservedRole(role)));
  if (sets.some((missing) => missing.length === 0)) return [];
  const found = await Promise.all(
    [...new Set(sets.flat())].map((role) => store.groups.find('role', role, { limit: maxGroups })),
  );
  const groups = new Map<string, Group>(found.flat().map((group) => [group.groupId, group]));
  const cures = await Promise.all(
    [...groups.values()].map(async ({ groupId, groupName }) => {
      const effective = await resolveEffectiveRoles(store, [groupId]);
      const gains = [...effective].filter((role) => !roles.has(role)).sort();
      const lacks = sets
        .map((missing) => missing.filter((role) => !effective.has(role)))
        .reduce((best, other) => (other.length < best.length ? other : best));
      return { kind: 'add-to-group' as const, groupId, groupName, gains, lacks };
    }),
  );
  return cures
    .sort(
      (one, other) =>
        one.lacks.length - other.lacks.length ||
        administrativePower(one.gains) - administrativePower(other.gains) ||
        one.gains.length - other.gains.length,
    )
    .slice(0, maxGroups);
}

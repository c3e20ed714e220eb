import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { FactorDetail } from '../../../../contract/schemas/factor.ts';
import { exampleInt, exampleText, Id, optionalInt, optionalText } from '../../../../contract/schemas/primitives.ts';
import { maskEmail } from '../../../../lib/masked-email.ts';
import { type RoleOrigin, readRoleOrigins } from '../../../directory/role-provenance.ts';
import { listMemberIdentities } from '../../../directory/user-roles.ts';
import { epochSeconds } from '../../../lib/clock.ts';
import { listAllFactorViews } from '../../../mfa/factor-views.ts';
import { countActiveSessions } from '../../../sessions/sessions.ts';
import type { Reader } from '../../../store/store.ts';
import { hasEmailForm, isUserNameProven, type User } from '../../../store/tables.ts';
import { requireUser, toUpdatableUser } from '../../../users/users.ts';
import { defineRoute } from '../../define.ts';
import { memberGrantFields, readMemberGrants } from '../../member-grants.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';
import { SessionItem, toSessionItems } from '../sessions/session-item.ts';

/** Roles with their groups, groups of one role, and sessions in a response. */
const maxRoleSources = 1000;
const maxGroupsOfRole = 20;
const maxSessions = 100;

const UserDetail = z.strictObject({
  userId: exampleText('alice'),
  userName: exampleText('alice'),
  nameVerified: z.boolean().describe('False if the user chose the name itself'),
  identities: z.array(z.string()).meta({
    description: 'Additional login identifiers; e-mail addresses among them are masked',
    examples: [['alice.smith']],
  }),
  legacyLogons: z.array(z.string()).meta({ description: 'Mainframe logons', examples: [['ALICE01']] }),
  businessId: optionalText('example-shop'),
  businessName: optionalText('Example Shop'),
  customerId: optionalInt(1001),
  lead: z.boolean(),
  locked: z.boolean(),
  lockReason: optionalText('Lost phone'),
  createdAt: exampleText('2026-03-01T12:00:00.000Z'),
  contacts: z.array(FactorDetail).describe('Main and alternative contacts, sorted by id and masked'),
  ...memberGrantFields,
  roleSources: z
    .array(
      z.strictObject({
        role: exampleText('DEPLOY'),
        groups: z.array(z.string()).meta({ examples: [['ops']] }),
        groupCount: exampleInt(1, 'Number of all these groups'),
        grantedBy: z.array(z.string()).meta({
          description: 'Names of the groups that have the role themselves: direct groups or their dependencies',
          examples: [['ops']],
        }),
        grantedByCount: exampleInt(1, 'Number of all the groups that have the role themselves'),
      }),
    )
    .describe(
      `Effective roles, sorted, each with the names of the direct groups that grant it, themselves or through dependencies; the first ${maxRoleSources} roles and ${maxGroupsOfRole} groups of each`,
    ),
  consents: z
    .array(
      z.strictObject({
        clientId: exampleText('billing-service'),
        ...nameFieldsOf('clientId'),
        scopes: z.array(z.string()).meta({ examples: [['openid', 'email']] }),
        at: exampleText('2026-03-01T12:00:00.000Z'),
      }),
    )
    .describe('What the user lets third-party clients do after logins with a browser'),
  sessions: exampleInt(1, 'Number of active sessions'),
  activeSessions: z.array(SessionItem).describe(`Active sessions, sorted by id; the first ${maxSessions}`),
});

export default defineRoute({
  capability: 'read',
  id: 'control.user',
  title: 'Show a user',
  description:
    'Returns the user with this id: login names, masked contacts, lock, business, groups, effective roles with the groups that grant them, and active sessions. Groups and roles include those of its business. Roles that depend on the authentication level are not included. The ETag is of the fields that an update of the user writes.',
  method: 'GET',
  path: '/users/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['alice'], ...reference('user', ['id']) }) } },
  response: { status: 200, body: UserDetail, entity: 'stored' },
  errors: ['USER_NOT_FOUND'],

  async handle({ params }, { store, clock, setStoredEtag }) {
    const user = await requireUser(store, params.id);
    setStoredEtag(toUpdatableUser(user));
    const members = listMemberIdentities(user);
    const now = epochSeconds(clock);
    return {
      ...toIdentity(user),
      nameVerified: isUserNameProven(user),
      ...(await readSubject(store, user)),
      contacts: await listAllFactorViews(store, user),
      ...(await readMemberGrants(store, members)),
      roleSources: (await readRoleOrigins(store, members)).slice(0, maxRoleSources).map(toRoleSource),
      consents: await listConsents(store, user),
      sessions: await countActiveSessions(store, user.userId, now),
      activeSessions: await listActiveSessions(store, user.userId, now),
    };
  },
});

function toRoleSource({ role, groupNames, ownerNames }: RoleOrigin) {
  return {
    role,
    groups: groupNames.slice(0, maxGroupsOfRole),
    groupCount: groupNames.length,
    grantedBy: ownerNames.slice(0, maxGroupsOfRole),
    grantedByCount: ownerNames.length,
  };
}

async function listActiveSessions(store: Reader, userId: string, now: number) {
  const sessions = await store.sessions.find('userId', userId);
  const active = sessions.filter(({ endsAt }) => endsAt > now).slice(0, maxSessions);
  return toSessionItems(store, active, now);
}

function listConsents(store: Reader, { consents = [] }: User) {
  const items = consents.map(({ scopes, ...consent }) => ({ ...consent, scopes: [...scopes] }));
  return addNames(store, items, 'clientId');
}

function toIdentity({ userId, userName, identities, legacyLogons = [], lead, locked, lockReason, createdAt }: User) {
  return {
    userId,
    userName,
    identities: identities.map(maskIdentity),
    legacyLogons: [...legacyLogons],
    lead,
    locked,
    ...(lockReason === undefined ? {} : { lockReason }),
    createdAt,
  };
}

/** Masks an e-mail address, also as the subject of a link (`<provider>:<subject>`). */
function maskIdentity(identity: string): string {
  if (!hasEmailForm(identity)) return identity;
  const [link = ''] = /^[^@:]*:/.exec(identity) ?? [];
  return link + maskEmail(identity.slice(link.length));
}

/** The business of a user, and its number as a customer. */
async function readSubject(store: Pick<Reader, 'businesses' | 'customers'>, { userId, businessId }: User) {
  const customer = await store.customers.getBy('userId', userId);
  const business = businessId === undefined ? undefined : await store.businesses.get(businessId);
  return {
    ...(businessId === undefined ? {} : { businessId }),
    ...(business === undefined ? {} : { businessName: business.businessName }),
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
  };
}

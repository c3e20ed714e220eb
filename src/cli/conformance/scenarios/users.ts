/** The scenario that creates a user without a password, changes and deletes it. */
import type { ConformanceCase, Scenario, Undo } from '../case.ts';
import { unknownId } from '../samples.ts';
import { undoGroup } from './groups.ts';
import { refusedStep, step } from './steps.ts';

const user = { id: '{{userId}}' };
const group = { groupName: '{{userGroupId}}' };
const factor = { ...user, factorId: '{{factorId}}' };
const email = (name: string) => `${name}@conformance.invalid`;

function undoUser(name: string): Undo {
  return { entity: `user {{run}}-${name}`, operation: 'user-identities.remove', params: { id: `{{run}}-${name}` } };
}

const body = { userId: '{{run}}-user', userName: '{{run}}-user', userEmail: email('{{run}}') };

const creation: readonly ConformanceCase[] = [
  step(
    'user-identities.create',
    'creates',
    { body: { ...body, userMobile: { regionCode: 999, areaCode: 99, phoneNumber: 99999999 } } },
    { save: { userToken: 'body.accessToken', userId: 'text:{{run}}-user' }, undo: undoUser('user') },
  ),
  refusedStep('user-identities.create', 'id is taken', {
    body: { ...body, userId: '{{userId}}', userName: '{{run}}-other' },
  }),
  refusedStep(
    'user-identities.create',
    'name is taken',
    { body: { ...body, userId: '{{run}}-other', userName: '{{userId}}' } },
    { undo: undoUser('other') },
  ),
  refusedStep(
    'user-identities.create',
    'valid with an unknown field',
    { body: { ...body, userId: '{{run}}-extra', userName: '{{run}}-extra', iamConformanceUnknown: true } },
    { undo: undoUser('extra') },
  ),
  refusedStep(
    'user-identities.create',
    'wrong code',
    { body: { ...body, userId: '{{run}}-code', userName: '{{run}}-code', token: '000000' } },
    { undo: undoUser('code') },
  ),
  refusedStep(
    'user-identities.create',
    'unknown business',
    { body: { ...body, userId: '{{run}}-staff', userName: '{{run}}-staff', businessId: unknownId } },
    { undo: undoUser('staff') },
  ),
  step('user-identities.get', 'by id', { params: user }),
];

/** A user whose session is remembered, so that there is a refresh token. */
const session: readonly ConformanceCase[] = [
  step(
    'user-identities.create',
    'creates with a refresh token',
    {
      query: [['remember-me', 'true']],
      body: { userId: '{{run}}-session', userName: '{{run}}-session', userEmail: email('{{run}}-session') },
    },
    { save: { refreshToken: 'body.refreshToken', sessionUserId: 'text:{{run}}-session' }, undo: undoUser('session') },
  ),
  step(
    'user-identities.renew-token',
    'renews',
    { body: { refreshToken: '{{refreshToken}}' } },
    { save: { renewedToken: 'body.refreshToken' } },
  ),
  refusedStep('user-identities.renew-token', 'used token', { body: { refreshToken: '{{refreshToken}}' } }),
  refusedStep('user-identities.renew-token', 'token of an ended session', {
    body: { refreshToken: '{{renewedToken}}' },
  }),
  step(
    'user-identities.remove',
    'deletes with a session',
    { params: { id: '{{sessionUserId}}' } },
    { deletes: ['user {{run}}-session'] },
  ),
];

/** A challenge for a certificate, which expires by itself. */
const challenge = step('user-identities.certificate-token', 'issues a challenge', {});

const changes: readonly ConformanceCase[] = [
  step('user-identities.update', 'sets a field', {
    params: user,
    body: { userMobile: { regionCode: 999, areaCode: 98, phoneNumber: 99999998 } },
  }),
  refusedStep('user-identities.update', 'unknown business', { params: user, body: { businessId: unknownId } }),
  step('user-identities.get', 'after an update', { params: user }),
  step('user-identities.add-identity', 'adds', { params: user, body: { identity: '{{run}}-identity' } }),
  refusedStep('user-identities.add-identity', 'again', { params: user, body: { identity: '{{run}}-identity' } }),
  step('user-identities.remove-identity', 'removes', { params: { ...user, identity: '{{run}}-identity' } }),
  refusedStep('user-identities.remove-identity', 'again', { params: { ...user, identity: '{{run}}-identity' } }),
  step(
    'user-identities.factors.admin-add',
    'adds',
    { params: user, body: { authenticationFactors: [{ contactType: 'EMAIL', email: email('{{run}}-factor') }] } },
    { save: { factorId: 'body.0.id' } },
  ),
  step('user-identities.factors.admin-update', 'sets a field', { params: factor, body: { tags: ['private'] } }),
  step('user-identities.factors.admin-remove', 'removes', { params: factor }),
  refusedStep('user-identities.factors.admin-remove', 'again', { params: factor }),
  step('user-identities.lock', 'locks', { body: { userId: '{{userId}}' } }),
  refusedStep('user-identities.lock', 'again', { body: { userId: '{{userId}}' } }),
  refusedStep('user-identities.login', 'locked user', {
    body: { userName: '{{userId}}', password: '{{run}}-not-a-password' },
  }),
  step('user-identities.unlock', 'unlocks', { body: { userId: '{{userId}}' } }),
  refusedStep('user-identities.unlock', 'again', { body: { userId: '{{userId}}' } }),
  refusedStep('user-identities.login', 'user without a password', {
    body: { userName: '{{userId}}', password: '{{run}}-not-a-password' },
  }),
];

const memberships: readonly ConformanceCase[] = [
  step(
    'groups.create',
    'creates for members',
    { body: { groupName: '{{run}}-users', roles: ['IAM_CONFORMANCE'] } },
    {
      save: { userGroupId: 'body.groupId' },
      undo: undoGroup('users', 'userGroupId'),
    },
  ),
  step('user-accesses.list-users', 'without members', { params: group }),
  step('user-accesses.add-user', 'adds', { params: group, body: [{ userId: '{{userId}}' }] }),
  refusedStep('user-accesses.add-user', 'again', { params: group, body: [{ userId: '{{userId}}' }] }),
  step('user-accesses.list-users', 'with a member', { params: group }),
  step('user-accesses.list-user-roles', 'of a member', { params: { userId: '{{userId}}' } }),
  step('user-accesses.remove-user', 'removes', { params: { ...group, userId: '{{userId}}' } }),
  refusedStep('user-accesses.remove-user', 'again', { params: { ...group, userId: '{{userId}}' } }),
  step('user-accesses.list-user-roles', 'without a group', { params: { userId: '{{userId}}' } }),
  step(
    'groups.remove',
    'deletes after members',
    { params: { groupId: '{{userGroupId}}' } },
    { deletes: ['group {{run}}-users'] },
  ),
];

const removal: readonly ConformanceCase[] = [
  step('user-identities.remove', 'deletes', { params: user }, { deletes: ['user {{run}}-user'] }),
  refusedStep('user-identities.remove', 'again', { params: user }),
  refusedStep('user-identities.get', 'after the deletion', { params: user }),
  refusedStep('user-identities.get', 'token of a deleted user', {
    params: user,
    credentials: { kind: 'bearer', token: '{{userToken}}' },
  }),
];

/** Returns the scenario. `asUser` are cases that use the token of the user, which proves no contact. */
export function createUserScenario(asUser: readonly ConformanceCase[]): Scenario {
  return {
    name: 'users',
    cases: [challenge, ...session, ...creation, ...changes, ...memberships, ...asUser, ...removal],
  };
}

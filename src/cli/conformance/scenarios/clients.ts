/** The scenario that creates a client with an API key, signs it in and deletes it. */
import type { CaseCredentials, ConformanceCase, Scenario, Undo } from '../case.ts';
import { unknownId } from '../samples.ts';
import { undoGroup } from './groups.ts';
import { refusedStep, step } from './steps.ts';

const group = { groupId: '{{serviceGroupId}}' };
const newService = { serviceAccountId: '{{run}}-service' };
const service = { serviceAccountId: '{{serviceId}}' };
const key = { apiKeyId: '{{apiKeyId}}' };
const none: CaseCredentials = { kind: 'none' };

/** The credentials of the client of the scenario. */
export const ownClient: CaseCredentials = { kind: 'basic', id: '{{clientId}}', secret: '{{clientSecret}}' };

const undoClient: Undo = {
  entity: 'client {{run}}-service',
  operation: 'client-identities.remove',
  params: newService,
};

/** A client without scope: a caller creates keys only for clients that have no scope beyond its own. */
const keyClient = { serviceAccountId: '{{run}}-key-client' };

const undoKeyClient: Undo = {
  entity: 'client {{run}}-key-client',
  operation: 'client-identities.remove',
  params: keyClient,
};

const undoKey: Undo = {
  entity: 'API key of {{run}}-key-client',
  operation: 'api-key.remove',
  params: key,
  find: {
    operation: 'api-key.list',
    query: [['clientId', '{{keyClientId}}']],
    field: 'appId',
    value: '{{run}}',
    idField: 'apiKeyId',
    variable: 'apiKeyId',
  },
};

const creation: readonly ConformanceCase[] = [
  step(
    'client-identities.create',
    'creates',
    {
      body: {
        appId: '{{run}}',
        ...newService,
        scope: ['iam.conformance'],
        grantTypes: ['client_credentials'],
        organizationId: '{{run}}',
      },
    },
    {
      save: { clientId: 'body.clientId', clientSecret: 'body.clientSecret', serviceId: 'text:{{run}}-service' },
      undo: undoClient,
    },
  ),
  refusedStep('client-identities.create', 'id is taken', { body: { appId: '{{run}}', ...service } }),
  refusedStep(
    'client-identities.create',
    'valid with an unknown field',
    { body: { appId: '{{run}}', serviceAccountId: '{{run}}-extra', iamConformanceUnknown: true } },
    {
      undo: {
        entity: 'client {{run}}-extra',
        operation: 'client-identities.remove',
        params: { serviceAccountId: '{{run}}-extra' },
      },
    },
  ),
  refusedStep(
    'client-identities.create',
    'unknown owner',
    { body: { appId: '{{run}}', serviceAccountId: '{{run}}-owned', userId: unknownId } },
    {
      undo: {
        entity: 'client {{run}}-owned',
        operation: 'client-identities.remove',
        params: { serviceAccountId: '{{run}}-owned' },
      },
    },
  ),
];

const client = { client_id: '{{clientId}}', client_secret: '{{clientSecret}}' };

const logins: readonly ConformanceCase[] = [
  step(
    'client-identities.login',
    'signs in',
    { credentials: ownClient },
    { save: { clientToken: 'body.accessToken' } },
  ),
  refusedStep('client-identities.login', 'wrong secret', {
    credentials: { kind: 'basic', id: '{{clientId}}', secret: '{{run}}-not-a-secret' },
  }),
  step('client-identities.connect-token', 'issues a token', {
    credentials: none,
    body: { grant_type: 'client_credentials', ...client },
  }),
  step('client-identities.connect-token', 'issues a token with a scope', {
    credentials: none,
    body: { grant_type: 'client_credentials', ...client, scope: 'iam.conformance' },
  }),
  refusedStep('client-identities.connect-token', 'scope of another client', {
    credentials: none,
    body: { grant_type: 'client_credentials', ...client, scope: 'iam.conformance.other' },
  }),
  refusedStep('client-identities.connect-token', 'grant type of another client', {
    credentials: none,
    body: { grant_type: 'password', ...client, username: '{{run}}-unknown', password: '{{run}}-not-a-password' },
  }),
  step('generate-token.create', 'issues a token', {
    credentials: none,
    body: { grantType: 'client_credentials', clientId: '{{clientId}}', clientSecret: '{{clientSecret}}' },
  }),
  refusedStep('generate-token.create', 'wrong secret', {
    credentials: none,
    body: { grantType: 'client_credentials', clientId: '{{clientId}}', clientSecret: '{{run}}-not-a-secret' },
  }),
  step('client-identities.migrate', 'moves a client', {
    body: { clientIds: ['{{clientId}}'], target: { organizationId: '{{run}}-2', businessUnitId: '{{run}}' } },
  }),
];

const memberships: readonly ConformanceCase[] = [
  step(
    'groups.create',
    'creates for services',
    { body: { groupName: '{{run}}-services', roles: ['IAM_CONFORMANCE'] } },
    {
      save: { serviceGroupId: 'body.groupId' },
      undo: undoGroup('services', 'serviceGroupId'),
    },
  ),
  step('service-accesses.add-service', 'adds', { params: group, body: [{ serviceId: '{{serviceId}}' }] }),
  step('service-accesses.list-services', 'with a member', { params: group }),
  step('service-accesses.list-service-roles', 'of a member', { params: { serviceId: '{{serviceId}}' } }),
  step('service-accesses.remove-service', 'removes', { params: { ...group, serviceId: '{{serviceId}}' } }),
  refusedStep('service-accesses.remove-service', 'again', { params: { ...group, serviceId: '{{serviceId}}' } }),
  step('groups.remove', 'deletes after services', { params: group }, { deletes: ['group {{run}}-services'] }),
];

const keys: readonly ConformanceCase[] = [
  step(
    'client-identities.create',
    'creates without options',
    { body: { appId: '{{run}}', ...keyClient } },
    { save: { keyClientId: 'body.clientId' }, undo: undoKeyClient },
  ),
  step(
    'api-key.create',
    'creates',
    { body: { appId: '{{run}}', clientId: '{{keyClientId}}' } },
    { save: { apiKeyId: 'body.apiKeyId', apiKey: 'body.apiKey' }, undo: undoKey },
  ),
  refusedStep('api-key.create', 'unknown client', { body: { appId: '{{run}}', clientId: unknownId } }),
  step('api-key.list', 'of a client', { query: [['clientId', '{{keyClientId}}']] }),
  refusedStep('user-identities.get', 'unknown id with an API key', {
    params: { id: unknownId },
    credentials: { kind: 'api-key', key: '{{apiKey}}' },
  }),
  step('api-key.update', 'sets a field', { params: key, body: { appId: '{{run}}', clientId: '{{keyClientId}}' } }),
  step('api-key.remove', 'deletes', { params: key }, { deletes: [undoKey.entity] }),
  refusedStep('api-key.remove', 'again', { params: key }),
  refusedStep('user-identities.get', 'deleted API key', {
    params: { id: unknownId },
    credentials: { kind: 'api-key', key: '{{apiKey}}' },
  }),
  step(
    'client-identities.remove',
    'deletes without options',
    { params: { serviceAccountId: '{{keyClientId}}' } },
    { deletes: [undoKeyClient.entity] },
  ),
];

const removal: readonly ConformanceCase[] = [
  step('client-identities.remove', 'deletes', { params: service }, { deletes: [undoClient.entity] }),
  refusedStep('client-identities.remove', 'again', { params: service }),
  refusedStep('client-identities.login', 'deleted client', { credentials: ownClient }),
  refusedStep('user-identities.get', 'token of a deleted client', {
    params: { id: unknownId },
    credentials: { kind: 'bearer', token: '{{clientToken}}' },
  }),
];

/** Returns the scenario. `asClient` are cases that use the client, which has no role of its own. */
export function createClientScenario(asClient: readonly ConformanceCase[]): Scenario {
  return { name: 'clients', cases: [...creation, ...logins, ...memberships, ...keys, ...asClient, ...removal] };
}

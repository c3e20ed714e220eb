/** Refusals that the declaration of an operation does not imply. None names a user, a contact or a logon that exists. */
import type { CaseRequest, Template } from './case.ts';
import { unknownId } from './samples.ts';

const factor: Template = { contactType: 'EMAIL', email: '{{run}}@conformance.invalid' };

/** Valid bodies of operations whose path names an entity, sent to an entity that does not exist. */
export const validBodies: Readonly<Record<string, Template>> = {
  'api-key.update': { appId: '{{run}}', clientId: unknownId },
  'business-accesses.add-business': [{ businessId: unknownId }],
  'corporate-groups.update': { corporateGroupName: '{{run}}-unknown' },
  'groups.add-dependency': { groupName: '{{run}}-unknown' },
  'groups.add-role': { roleName: 'IAM_CONFORMANCE' },
  'groups.update': { groupName: '{{run}}-unknown' },
  'service-accesses.add-service': [{ serviceId: unknownId }],
  'user-accesses.add-business-user': [{ userId: unknownId }],
  'user-accesses.add-user': [{ userId: unknownId }],
  'user-identities.add-identity': { identity: '{{run}}-identity' },
  'user-identities.factors.admin-add': { authenticationFactors: [factor] },
  'user-identities.factors.admin-update': factor,
  'user-identities.factors.update': factor,
  'user-identities.factors.validate-token': { token: '000000' },
  'user-identities.update': { lead: false },
};

const unknownClient = { clientId: unknownId, clientSecret: '{{run}}-not-a-secret' };
const anonymous: Pick<CaseRequest, 'credentials'> = { credentials: { kind: 'none' } };

export const specialRefusals: Readonly<Record<string, Readonly<Record<string, CaseRequest>>>> = {
  'client-identities.login': {
    'no credentials': anonymous,
    'unknown client': { credentials: { kind: 'basic', id: unknownId, secret: '{{run}}-not-a-secret' } },
  },
  'client-identities.connect-token': {
    'unknown client': {
      ...anonymous,
      body: { grant_type: 'client_credentials', client_id: unknownId, client_secret: '{{run}}-not-a-secret' },
    },
    'no client': { ...anonymous, body: { grant_type: 'client_credentials' } },
    'unknown grant type': {
      ...anonymous,
      body: { grant_type: 'iam_conformance', client_id: unknownId, client_secret: '{{run}}-not-a-secret' },
    },
  },
  'generate-token.create': {
    'unknown client': { ...anonymous, body: { grantType: 'client_credentials', ...unknownClient } },
    'unknown grant type': { ...anonymous, body: { grantType: 'iam_conformance', ...unknownClient } },
    'unknown refresh token': { body: { grantType: 'refresh_token', refreshToken: '{{run}}-not-a-token' } },
  },
  'client-identities.migrate': {
    'unknown client': {
      body: { clientIds: [unknownId], target: { organizationId: '{{run}}', businessUnitId: '{{run}}' } },
    },
  },
  'user-identities.authenticate-by-param': {
    'unknown parameter': { headers: { param: unknownId }, body: {} },
  },
  'user-identities.certificate-login': {
    'invalid certificate': { body: { token: unknownId, certificate: 'bm90LWEtY2VydGlmaWNhdGU=', signature: 'bm90' } },
  },
  'user-identities.grant-auth-smart': { 'unknown challenge': { body: { challengeId: unknownId } } },
  'user-identities.identification': {
    'no contact': { body: {} },
    'malformed e-mail address': { body: { userEmail: 'not an address' } },
  },
  'user-identities.lock': { 'unknown user': { body: { userId: unknownId } } },
  'user-identities.unlock': { 'unknown user': { body: { userId: unknownId } } },
  'user-identities.login': {
    'unknown user': { body: { userName: '{{run}}-unknown', password: '{{run}}-not-a-password' } },
    'name without password': { body: { userName: '{{run}}-unknown' } },
  },
  'user-identities.login-federated': {
    'unknown provider': { body: { provider: '{{run}}-unknown', idToken: 'bm90.YS10.b2tlbg' } },
  },
  'user-identities.renew-app-token': {
    'invalid assertion': { body: { samlResponse: 'bm90LWFuLWFzc2VydGlvbg==' } },
  },
  'user-identities.renew-token': { 'unknown token': { body: { refreshToken: unknownId } } },
  'user-identities.remember-me': {
    'unknown token': { body: { userName: '{{run}}-unknown', refreshToken: unknownId, deviceTokenId: unknownId } },
  },
  'user-identities.reset-legacy-password': {
    'unknown hash': { body: { logon: '{{logon}}', token: '000000', newPassword: 'Iam#Conf', hash: '{{run}}-unknown' } },
  },
  'user-identities.reset-password': {
    'unknown user': {
      body: { username: '{{run}}-unknown', validationCode: '000000', newPassword: '{{run}} not a password' },
    },
  },
};

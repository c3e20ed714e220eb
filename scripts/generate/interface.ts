/**
 * The service interface as data: all 91 operations. A test compares the implemented operations with it;
 * docs/operations.md lists the missing ones from it. Two lines per operation:
 *
 *     id  METHOD path  auth  documented statuses (200e: also 200 with an error array)
 *       title | roles
 */
import type { Auth, Method } from '../../src/contract/operation.ts';

export interface InterfaceOperation {
  readonly id: string;
  readonly title: string;
  readonly method: Method;
  /** Relative to the service prefix. */
  readonly path: string;
  readonly auth: Auth;
  readonly statuses: readonly number[];
  readonly softErrors: boolean;
  readonly roles: string;
}

const text = `
# User identities
user-identities.create  POST /user-identities  client-id  200e 201 400 401 412 500
  Create Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.retrieve  POST /user-identities/retrieve-identity  client-id  200e 201 400 401 404 429 500
  Retrieve an Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.generate-param  POST /user-identities/me/generate-param  caller  201 400 401 403 404 500
  Generate Param | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.identification  POST /user-identities/identification  client-id  201 400 401 422 429 500
  User identification | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.login  POST /user-identities/login  client-id  201 400 401 429 500
  Login user | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.login-legacy  POST /user-identities/login-legacy  client-id  201 400 401 429 500 503
  Login legacy user | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.authenticate-by-param  POST /user-identities/auth-legacy-by-param  client-id  200 400 401 500
  Authenticate user by param | CLI-1STPARTY and CLI-AUTH-IDENTIFIED
user-identities.remember-me  POST /user-identities/remember-me  client-id  200e 201 401 500
  User remember-me | CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.renovate-token  POST /user-identities/me/renovate-token  caller  201 401 403 500
  User renovate-token | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.associate-device  POST /user-identities/me/associate-user-device  caller  201 400 401 403 500
  User associate-user-device | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.change-app  POST /user-identities/me/change-app  caller  200 400 401 403 404 500
  Generates token when user navigates between applications | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.access-token  POST /user-identities/me/access-token  caller  201 400 401 403 422 500
  Generates an Access token | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.renew-token  POST /user-identities/renew-token  client-id  201 400 401 500
  Renew Token | CLI-AUTH-BASIC or CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.create-password  POST /user-identities/me/create-password  caller  201 400 401 403 412 422 500
  Create password | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and (AUTH-IDENTIFIED or AUTH-BASIC)
user-identities.change-password  POST /user-identities/me/change-password  caller  201 400 401 403 412 422 429 500
  Change Password | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.reset-password  POST /user-identities/reset-password  client-id  200e 201 400 401 412 422 500
  Reset password | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.get  GET /user-identities/{id}  caller  200 401 404 500
  Get Identities from user | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.remove  DELETE /user-identities/{id}  caller  204 401 403 404 412 500
  Remove Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.update  PATCH /user-identities/{id}  caller  204 400 401 403 404 412 422 500
  Updates specific identity attributes | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.provision-logon  POST /user-identities/{id}/legacy-logons  caller  201 400 401 403 404 412 422 500 503
  Provision logon in mainframe | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.lock  POST /user-identities/lock  caller  200 400 401 403 404 412 500
  Lock an user credential | CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE or CLI-1STPARTY and CLI-AUTH-BASIC and scope account_lock
user-identities.unlock  POST /user-identities/unlock  caller  200 400 401 403 404 500
  Unlock an user credential | CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE or CLI-1STPARTY and CLI-AUTH-BASIC and scope account_unlock
user-identities.remove-identity  DELETE /user-identities/{id}/identities/{identity}  caller  204 401 403 404 412 500
  Remove Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.add-identity  PATCH /user-identities/{id}/identities  caller  204 400 401 403 404 412 422 500
  Add Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.leverage-mfa  POST /user-identities/me/leverage-mfa  caller  201 400 401 403 404 412 429 500
  Leverage MFA | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.fulfill-mfa  POST /user-identities/me/fulfill-mfa  caller  201 400 401 403 412 429 500
  Fulfill MFA | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.certificate-token  POST /user-identities/digital-certificate/token  client-id  201 401 500
  Generate token to login with digital certificate | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.certificate-login  POST /user-identities/digital-certificate/login  client-id  201 400 401 500
  Authenticate with digital certificate | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.renew-app-token  POST /user-identities/renew-app-token  client-id  201 400 401 412 422 500
  Generate a renew app token based on SAML integration informed data | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.associate-legacy-by-email  POST /user-identities/me/legacy-logons/email  caller  201 400 401 403 429 500 503
  Associate legacy logon by email | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.associate-legacy-by-mobile  POST /user-identities/me/legacy-logons/mobile  caller  201 400 401 403 429 500 503
  Associate legacy logon by mobile | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.complete-associate-legacy  POST /user-identities/me/legacy-logons/complete  caller  201 400 401 403 412 429 500
  Complete Associate legacy logon | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.retrieve-legacy  POST /user-identities/retrieve-legacy-identity  client-id  201 400 401 429 500 503
  Retrieve a legacy identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.reset-legacy-password  POST /user-identities/reset-legacy-password  client-id  200 400 401 422 500 503
  Reset a legacy identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.factors.add  POST /user-identities/me/authentication-factors  caller  201 400 401 403 412 422 500
  Add alternative contacts to use on MFA process | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER
user-identities.factors.list  GET /user-identities/me/authentication-factors  caller  200 401 403 500
  Retrieve all user authentication factors | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.factors.update  PUT /user-identities/me/authentication-factors/{id}  caller  204 400 401 403 404 412 422 500
  Update an alternative contact to use on MFA process | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER
user-identities.factors.remove  DELETE /user-identities/me/authentication-factors/{id}  caller  204 401 403 404 412 500
  Delete an alternative contact | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER
user-identities.factors.send-token  POST /user-identities/me/authentication-factors/{id}/tokens  caller  200e 204 401 404 500
  Send a token to an authentication factor | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.factors.validate-token  POST /user-identities/me/authentication-factors/{id}/tokens/validate  caller  201 400 401 403 404 412 429 500
  Validate a Token previously sent to an authentication factor | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.grant-auth-smart  POST /user-identities/me/grant-auth-smart  caller  200 400 401 403 412 500
  Grant Auth Smart Role | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER
user-identities.login-federated  POST /user-identities/login-federated  client-id  201 400 401 404 412 500 503
  Login using federated accounts | CLI-AUTH-IDENTIFIED and CLI-1STPARTY
user-identities.factors.admin-add  POST /user-identities/{id}/authentication-factors  caller  201 400 401 403 404 412 422 500
  Add alternative contacts to use on MFA process (administrative variant) | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.factors.admin-update  PATCH /user-identities/{id}/authentication-factors/{factorId}  caller  204 400 401 403 404 412 422 500
  Partial update to alternative contact to use on MFA process with administrative roles | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
user-identities.factors.admin-remove  DELETE /user-identities/{id}/authentication-factors/{factorId}  caller  204 401 403 404 500
  Delete an alternative contact with administrative roles | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE

# Client identities
client-identities.create  POST /client-identities  caller  200e 201 400 401 403 412 500
  Create Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN
client-identities.remove  DELETE /client-identities/{serviceAccountId}  caller  200e 204 401 404 500
  Remove identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN
client-identities.migrate  PUT /client-identities/organizational-structure  caller  200 400 401 403 404 422 500
  Bulk Migrates Client Identities Organizational Structure | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and ADMIN
client-identities.login  POST /client-identities/login  none  200 401 429 500
  Login client | none
client-identities.connect-token  POST /client-identities/connect/token  none  200 400 401 429 500
  Login client | none

# My client identities
my-client-identities.create  POST /my-client-identities  caller  200e 201 400 401 412 500
  Create Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)
my-client-identities.remove  DELETE /my-client-identities/{clientId}  caller  204 401 403 404 500
  Remove Client Identity | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)

# User accesses
user-accesses.list-users  GET /user-accesses/{groupName}/user-accounts  caller  200 206 400 401 403 404 500
  Groups - List Users | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
user-accesses.add-user  POST /user-accesses/{groupName}/user-accounts  caller  200 400 401 403 404 422 500
  Groups - Add User | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)
user-accesses.remove-user  DELETE /user-accesses/{groupName}/user-accounts/{userId}  caller  200e 204 401 404 500
  Groups - Remove User | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and (ADMIN or IAM_ADMIN_MAINTENANCE) or CLI-1STPARTY and CLI-AUTH-BASIC
user-accesses.list-business-users  GET /user-accesses/{groupName}/business-accounts/{businessId}/user-accounts  caller  200 206 401 404 500
  Groups - List Business Users | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_READ_ONLY)
user-accesses.add-business-user  POST /user-accesses/{groupName}/business-accounts/{businessId}/user-accounts  caller  200 400 401 403 404 422 500
  Groups - Add Business User | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)
user-accesses.remove-business-user  DELETE /user-accesses/{groupName}/business-accounts/{businessId}/user-accounts/{userId}  caller  204 401 403 404 412 500
  Groups - Remove Business User | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)
user-accesses.list-user-roles  GET /user-accesses/user-accounts/{userId}/roles  caller  200 401 403 404 500
  List User Roles | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)

# Business accesses
business-accesses.list-businesses  GET /business-accesses/{groupId}/business-accounts  caller  200 206 400 401 403 404 500
  Groups - List Business | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
business-accesses.add-business  POST /business-accesses/{groupId}/business-accounts  caller  200 400 401 403 404 422 500
  Groups - Add Business | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)
business-accesses.remove-business  DELETE /business-accesses/{groupId}/business-accounts/{businessId}  caller  200e 204 401 404 500
  Groups - Remove Business | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE)
business-accesses.list-business-roles  GET /business-accesses/business-accounts/{businessId}/roles  caller  200 401 403 404 500
  List Business Roles | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or BUSINESSOWNER or BUSINESSADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)

# Service accesses
service-accesses.list-services  GET /service-accesses/{groupId}/service-accounts  caller  200 206 400 401 403 404 500
  Groups - List Services | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
service-accesses.add-service  POST /service-accesses/{groupId}/service-accounts  caller  200 400 401 403 404 422 500
  Groups - Add Service | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN or ADMIN or IAM_ADMIN_MAINTENANCE)
service-accesses.remove-service  DELETE /service-accesses/{groupId}/service-accounts/{serviceId}  caller  204 401 403 404 412 500
  Groups - Remove Service | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and ((PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN or ADMIN or IAM_ADMIN_MAINTENANCE)
service-accesses.list-service-roles  GET /service-accesses/service-accounts/{serviceId}/roles  caller  200 401 403 404 500
  List Service Roles | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)

# Product accesses
product-accesses.authorize  POST /product-accesses/authorize  caller  200e 201 400 401 403 404 500 501 503
  Generate Opaque Token | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (PERSON or BUSINESS or BUSINESSOWNER or BUSINESSADMIN or ADMIN)
product-accesses.validate-token  POST /product-accesses/validate-token  caller  200e 204 400 401 403 404 500 501 503
  Validate Opaque Token | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (PERSON or BUSINESS and BUSINESSADMIN or BUSINESSADMIN)

# Keys
keys.get  GET /keys  none  200 500
  Gets public key used to validate JWT | none

# Corporate groups
corporate-groups.create  POST /corporate-groups  caller  201 400 401 403 412 422 500
  Creates a corporate group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
corporate-groups.list  GET /corporate-groups  caller  200 206 400 401 403 500
  Lists corporate groups | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
corporate-groups.get  GET /corporate-groups/{corporateGroupId}  caller  200 401 403 404 500
  Gets corporate group by id | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
corporate-groups.update  PUT /corporate-groups/{corporateGroupId}  caller  204 400 401 403 404 412 422 500
  Updates a corporate group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
corporate-groups.remove  DELETE /corporate-groups/{corporateGroupId}  caller  204 401 403 404 500
  Deletes a corporate group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE

# Customers
customers.create-business  POST /customers/business  caller  201 400 401 403 412 422 500
  Creates a Business Customer | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)
customers.create-user  POST /customers/user  caller  201 400 401 403 412 422 500
  Creates a User Customer | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE)

# API keys
api-key.create  POST /api-key  caller  201 400 401 403 404 412 500
  Create a new ApiKey | CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN
api-key.list  GET /api-key  caller  200 206 400 401 403 500
  List all ApiKey | CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN
api-key.update  PUT /api-key/{apiKeyId}  caller  200 400 401 403 404 412 500
  Update an ApiKey | CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN
api-key.remove  DELETE /api-key/{apiKeyId}  caller  200 401 403 404 500
  Delete an API key | CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN

# Groups
groups.create  POST /groups  caller  201 400 401 403 412 422 500 503
  Creates a group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.list  GET /groups  caller  200 206 400 401 403 500
  Lists groups | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
groups.get  GET /groups/{groupId}  caller  200 401 403 404 500
  Gets group by id | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)
groups.update  PUT /groups/{groupId}  caller  200e 204 400 401 404 422 500 503
  Updates a group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.remove  DELETE /groups/{groupId}  caller  204 401 403 404 412 500
  Delete a group | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.add-role  POST /groups/{groupId}/role  caller  201 400 401 403 404 422 500
  Creates a group role | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.remove-role  DELETE /groups/{groupId}/role/{roleName}  caller  204 401 403 404 412 500
  Deletes a group role | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.add-dependency  POST /groups/{groupId}/dependency  caller  201 400 401 403 404 422 500
  Creates a group dependency | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE
groups.remove-dependency  DELETE /groups/{groupId}/dependency/{dependencyName}  caller  200e 204 401 404 500
  Delete a group dependency | CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE

# Generate token
generate-token.create  POST /generate-token  client-id  201 400 401 422 429 500
  Generate an access token and a refresh token | none
`;

/** The area of an id: `user-identities` for `user-identities.factors.add`. */
export function getArea(id: string): string {
  return id.split('.')[0] ?? id;
}

function parseOperation(first: string, second: string): InterfaceOperation {
  const [id = '', call = '', auth = '', statuses = ''] = first.split('  ');
  const [method = '', path = ''] = call.split(' ');
  const [title = '', roles = ''] = second.trim().split(' | ');
  const words = statuses.split(' ');
  return {
    id,
    title,
    method: method as Method,
    path,
    auth: auth as Auth,
    statuses: words.map((word) => Number.parseInt(word, 10)),
    softErrors: words.includes('200e'),
    roles,
  };
}

const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** In the order of the interface. */
export const interfaceOperations: readonly InterfaceOperation[] = lines.flatMap((line, at) =>
  at % 2 === 0 ? [parseOperation(line, lines[at + 1] ?? '')] : [],
);

/** Titles by area, in the order of the interface. */
export const areaTitles: ReadonlyMap<string, string> = new Map(
  text
    .split('\n')
    .flatMap((line, at, all) =>
      line.startsWith('# ') ? [[getArea(all[at + 1]?.split('  ')[0] ?? ''), line.slice(2)]] : [],
    ),
);

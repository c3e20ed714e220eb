/**
 * Requests of every operation that a conforming service refuses, derived from its declaration. They name no entity that
 * exists and lack a required field, so that a service that wrongly accepts one changes nothing.
 */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import type { CaseRequest, ConformanceCase } from './case.ts';
import {
  createBareRequest,
  emptyBody,
  hasQuery,
  hasRequiredFields,
  invalidParams,
  mistypedBody,
  requiredHeaders,
  unknownId,
  unknownParams,
} from './samples.ts';
import { specialRefusals, validBodies } from './special-refusals.ts';

/** Operations that work without any value in the body, so that no body of theirs is sure to be refused. */
const effectfulWithoutBody: readonly string[] = [
  'user-identities.access-token',
  'user-identities.change-app',
  'user-identities.generate-param',
  'user-identities.leverage-mfa',
  'user-identities.renovate-token',
  'user-identities.certificate-token',
];

export function listRefusals(operation: ManifestOperation, manifest: Manifest): ConformanceCase[] {
  const requests: readonly (readonly [name: string, request: CaseRequest])[] = [
    ...listCredentialRefusals(operation),
    ...listPathRefusals(operation),
    ...listQueryRefusals(operation),
    ...listBodyRefusals(operation),
    ...listMethodRefusals(operation, manifest),
    ...Object.entries(specialRefusals[operation.id] ?? {}),
  ];
  return requests.map(([name, request]) => ({ operation: operation.id, name, kind: 'refusal', request }));
}

type NamedRequests = (readonly [name: string, request: CaseRequest])[];

function listCredentialRefusals(operation: ManifestOperation): NamedRequests {
  if (operation.auth === 'none') return [];
  const bare = createBareRequest(operation);
  const two = { authorization: 'Bearer not-a-token', 'x-api-key': 'not-a-key' };
  return [
    ['no credentials', { ...bare, credentials: { kind: 'none' } }],
    ['invalid token', { ...bare, credentials: { kind: 'bearer', token: 'not-a-token' } }],
    ['invalid API key', { ...bare, credentials: { kind: 'api-key', key: 'not-a-key' } }],
    ['two kinds of credentials', { ...bare, headers: { ...bare.headers, ...two }, credentials: { kind: 'none' } }],
  ];
}

function listPathRefusals(operation: ManifestOperation): NamedRequests {
  const { params, id } = operation;
  if (params.length === 0) return [];
  const body = validBodies[id];
  if (operation.body && body === undefined) return [];
  const more = { headers: requiredHeaders(operation), ...(body === undefined ? {} : { body }) };
  return [
    ['unknown id', { params: unknownParams(operation), ...more }],
    ['malformed id', { params: invalidParams(operation), ...more }],
  ];
}

function listQueryRefusals(operation: ManifestOperation): NamedRequests {
  if (!hasQuery(operation, 'limit')) return [];
  const params = unknownParams(operation);
  const queries: Readonly<Record<string, CaseRequest['query']>> = {
    'limit 0': [['limit', '0']],
    'limit above the maximum': [['limit', '1001']],
    'limit that is no number': [['limit', 'ten']],
    'repeated limit': [
      ['limit', '1'],
      ['limit', '2'],
    ],
    'invalid cursor': [['after', 'not-a-cursor']],
  };
  return Object.entries(queries).map(([name, query]) => [name, { params, query: query ?? [] }]);
}

function listBodyRefusals(operation: ManifestOperation): NamedRequests {
  const { body, id } = operation;
  if (!body || effectfulWithoutBody.includes(id)) return [];
  const base = { params: unknownParams(operation), headers: requiredHeaders(operation) };
  const empty = emptyBody(body);
  const requests: NamedRequests = [
    ['malformed JSON', { ...base, text: '{"', headers: { ...base.headers, 'content-type': 'application/json' } }],
    ['body of another type', { ...base, body: 'text' }],
    ['wrong types', { ...base, body: mistypedBody(body) }],
  ];
  if (!hasRequiredFields(operation)) return requests;
  const unknown = { iamConformanceUnknown: unknownId };
  return [
    ...requests,
    ['missing fields', { ...base, body: empty }],
    ['unknown field', { ...base, body: Array.isArray(empty) ? [unknown] : unknown }],
    [
      'wrong media type',
      { ...base, text: JSON.stringify(empty), headers: { ...base.headers, 'content-type': 'text/plain' } },
    ],
  ];
}

/** A method that no operation has at this path, without credentials; once for each path. */
function listMethodRefusals(operation: ManifestOperation, { operations }: Manifest): NamedRequests {
  const atPath = operations.filter(({ path }) => path === operation.path);
  if (atPath[0] !== operation) return [];
  const method = ['PATCH', 'PUT', 'DELETE'].find((one) => atPath.every((other) => other.method !== one));
  if (method === undefined) return [];
  return [[`${method} is not supported`, { method, params: unknownParams(operation), credentials: { kind: 'none' } }]];
}

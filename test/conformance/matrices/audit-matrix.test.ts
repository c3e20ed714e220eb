/** What the audit log records of each operation and of each route of the control plane, as declared. */
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../../src/server/oauth/index.ts';
import { fieldsOf } from '../../../src/server/observability/redaction.ts';
import { operations } from '../../../src/server/operations/index.ts';

const all: readonly Operation<never>[] = [...Object.values(operations), ...oauthOperations, ...controlRoutes];
const recorded = all.filter(({ audit }) => audit.kind !== 'read');

function targetsOf({ audit }: Operation<never>): [string, readonly string[]][] {
  return Object.entries(audit.targets);
}

test('the recorded fields match the committed matrix', async () => {
  expect(all.length).toBeGreaterThan(0);
  const entries = all.map((operation) => {
    const targets = targetsOf(operation).map(([part, names]) => `  ${part}: ${names.join(', ')}\n`);
    return `${operation.id}\n  kind: ${operation.audit.kind}\n${targets.join('')}`;
  });
  await expect(entries.join('')).toMatchFileSnapshot('./__snapshots__/audit-matrix.txt');
});

/** Reads whose request has a body. */
const readsWithBody: readonly string[] = ['control.names', 'oauth2.authorize-form', 'oauth2.userinfo-post'];
/** Ends sessions with either method (OpenID Connect RP-Initiated Logout 1.0, 2), and starts one for the response of a provider. */
const changesByGet: readonly string[] = ['oauth2.logout', 'oauth2.provider-callback'];

test('every operation is recorded, except a read whose response holds no secret', () => {
  const isSecret = ({ response }: Operation<never>) => 'secret' in response && response.secret === true;
  const expected = all.filter(
    (operation) =>
      (operation.method !== 'GET' && !readsWithBody.includes(operation.id)) ||
      changesByGet.includes(operation.id) ||
      isSecret(operation),
  );
  expect(recorded.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
});

/** Codes of rejected credentials, and of too many attempts or requests. */
const credentialErrors: readonly ErrorCode[] = [
  ...(['CREDENTIALS_INVALID', 'TOKEN_INVALID', 'PROOF_INVALID', 'PASSWORD_WRONG', 'CODE_INVALID'] as const),
  ...(['CODE_FAILURES', 'TOO_MANY_ATTEMPTS', 'TOO_MANY_CODES'] as const),
];

test('an operation that checks credentials, or requires none, is recorded as authentication', () => {
  const authenticating = recorded.filter(
    ({ auth, errors }) => auth === 'none' || errors.some((code) => credentialErrors.includes(code)),
  );
  expect(authenticating.filter(({ audit }) => audit.kind !== 'authentication')).toEqual([]);
});

test('every parameter of a path is a target', () => {
  for (const { id, path, audit } of all) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect([id, audit.targets.path ?? []]).toEqual([id, parameters]);
  }
});

/** The schema whose fields the targets of a part are; those of the path are checked for all operations. */
function schemaOf({ request, response }: Operation<never>, part: string) {
  if (part === 'body') return request.body;
  return part === 'response' && 'body' in response ? response.body : undefined;
}

test('no target is a sensitive field or a duplicate', () => {
  for (const operation of all)
    for (const [part, names] of targetsOf(operation)) {
      const schema = schemaOf(operation, part);
      expect([
        operation.id,
        part,
        names.filter((name) => schema && fieldsOf(schema).field(name)?.level !== undefined),
      ]).toEqual([operation.id, part, []]);
      expect([operation.id, part, [...new Set(names)]]).toEqual([operation.id, part, names]);
    }
});

/** The built command evaluates error codes and details, never messages. */
import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/contract/error-codes.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { errorResponse, startFakeServer } from '../client/fake-server.ts';
import { startServer } from '../harness.ts';
import { makeRunner } from './runner.ts';

const signedIn = { IAM_CLIENT_ID: 'app', IAM_CLIENT_SECRET: 'a-secret' };

describe('the built command', () => {
  test('names missing roles, and groups where the caller may list them', async () => {
    await using sandbox = await makeRunner();
    await using server = await startServer();
    const failureFor = async (authorities: string[]) => {
      const { clientId, clientSecret } = await server.makeClient({ authorities });
      const variables = { IAM_BASE_URL: server.url, IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret };
      const { code, err } = await sandbox.iam(['groups', 'create', '--group-name', 'ops', '-o', 'json'], variables);
      return { code, details: (JSON.parse(err) as { error: { details?: object } }).error.details };
    };
    const missingRoles = ['IAM_ADMIN_MAINTENANCE'];
    expect(await failureFor(['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'])).toEqual({
      code: 5,
      details: { missingRoles, grantedByGroups: ['iam-administrators'] },
    });
    expect(await failureFor(['AUTH-BASIC'])).toEqual({ code: 5, details: { missingRoles } });
  });

  test.each<[ErrorCode, number]>([
    ['ROLE_MISSING', 5],
    ['GROUP_NAME_TAKEN', 6],
    ['CHANGED_MEANWHILE', 6],
    ['DEPENDENCY_UNKNOWN', 7],
    ['TOKEN_INVALID', 4],
    ['GROUP_NOT_FOUND', 3],
  ])('returns the same exit code and details for %s with another message', async (errorCode, exitCode) => {
    await using sandbox = await makeRunner();
    const details = { missingRoles: ['ADMIN'], field: 'roles[0]' };
    for (const message of [errorTable[errorCode].message, 'Ganz andere Worte.', '']) {
      await using server = await startFakeServer(() =>
        errorResponse(errorTable[errorCode].status, errorCode, message, details),
      );
      const variables = { ...signedIn, IAM_BASE_URL: server.url };
      const { code, err } = await sandbox.iam(['groups', 'get', 'ops', '-o', 'json'], variables);
      expect({ code, ...JSON.parse(err) }).toMatchObject({ code: exitCode, error: { code: errorCode, details } });
    }
  });
});

/** With the setting soft-errors, every operation that documents an error array under 200 returns it. */
import { expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { startServer } from '../../harness.ts';
import { userToken } from '../operations/user-token.ts';
import { createCallerCredentials } from '../property/callers.ts';

const soft = Object.values<Operation<never>>(operations).filter(({ softErrors }) => softErrors);

test.each(soft.map((operation) => [operation.id, operation] as const))('%s', async (id, { method, path, request }) => {
  await using server = await startServer({ flags: { 'soft-errors': true } });
  const { authorization } = await createCallerCredentials(server);
  const user = `Bearer ${await userToken(server, { level: 'AUTH-MFA' })}`;
  const before = await server.dump();
  const send = (headers: readonly (readonly [string, string])[]) =>
    server.send({
      method,
      path: servicePrefix + path.replaceAll(/\{\w+\}/g, 'unknown'),
      headers: [...headers, ...(request.body ? ([['Content-Type', 'application/json']] as const) : [])],
      body: request.body && '{"nothing":1}',
    });
  const response = await send([['Authorization', path.includes('/me/') ? user : authorization]]);
  expect(response).toMatchObject({
    status: 200,
    json: expect.arrayContaining([expect.objectContaining({ code: expect.any(String) })]),
  });
  expect(response.headers).not.toHaveProperty('www-authenticate');
  expect((await send([])).status, id).toBe(401);
  expect(await server.dump()).toEqual(before);
});

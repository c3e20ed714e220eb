import { expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { operations } from '../../src/server/operations/index.ts';

test('the roles of all operations match the committed matrix', async () => {
  const all: readonly Operation<never>[] = Object.values(operations);
  expect(all.length).toBeGreaterThan(0);
  const matrix = all.map(({ id, auth, roles }) => `${id}\n  ${auth}: ${formatRoles(roles)}\n`).join('');
  await expect(matrix).toMatchFileSnapshot('./__snapshots__/role-matrix.txt');
});

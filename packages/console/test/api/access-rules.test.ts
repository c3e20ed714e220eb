/** What the console knows about operations. */
import { expect, test } from 'vitest';
import { accessRules } from '../../src/api/access-rules.ts';

test.each([
  ['groups.remove', true],
  ['user-identities.lock', true],
  ['groups.create', undefined],
])('whether %s is confirmed: %s', (operation, destructive) => {
  expect(accessRules[operation]?.destructive).toBe(destructive);
});

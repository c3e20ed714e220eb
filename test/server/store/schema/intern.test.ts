import { expect, test } from 'vitest';
import { internString } from '../../../../src/server/store/schema/intern.ts';

test('returns an equal string, known or not, also beyond the maximum size', () => {
  const names = Array.from({ length: 25_000 }, (_, at) => `ROLE_${at}`);
  for (const name of names) expect(internString(name)).toBe(name);
  for (const name of names.slice(0, 100)) expect(internString(name)).toBe(name);
});

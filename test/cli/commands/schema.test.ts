import { describe, expect, test } from 'vitest';
import { iam } from '../run-cli.ts';

const kinds = ['seed', 'provisioning', 'config'];

describe('iam schema', () => {
  test.each(kinds)('%s prints a JSON Schema with a stable id', async (kind) => {
    const { code, out } = await iam(['schema', kind]);
    expect(code).toBe(0);
    const schema = JSON.parse(out) as Record<string, unknown>;
    expect(schema).toMatchObject({ $id: `urn:iam-standin:schema:${kind}`, type: 'object' });
    expect(schema.properties).toHaveProperty('$schema');
    expect(JSON.parse((await iam(['schema', kind, '-o', 'json'])).out)).toEqual(schema);
  });

  test('config contains the settings of project files, and no secret', async () => {
    const { properties, additionalProperties } = JSON.parse((await iam(['schema', 'config'])).out);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['profile', 'baseUrl', 'output', 'timeout']));
    expect(Object.keys(properties)).not.toContain('clientSecret');
    expect(additionalProperties).toBe(false);
  });

  test('rejects an unknown kind', async () => {
    expect(await iam(['schema', 'users'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('seed') });
  });
});

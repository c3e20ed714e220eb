import { expect, test } from 'vitest';
import { settingsTable } from '../../../../../src/server/config/settings.ts';
import { startServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

test('returns the effective settings, by the names of the flags', async () => {
  await using server = await startServer({ flags: { 'soft-errors': true, 'body-limit': '2000' } });
  const { body } = await send(server, '/_iam/settings');
  expect(body).toMatchObject({
    'soft-errors': true,
    'body-limit': 2000,
    'disable-control-plane': false,
    'cors-origins': [],
    host: '127.0.0.1',
    'base-url': server.url,
  });
  expect(body).not.toHaveProperty('seed');
});

test('omits settings that come from the environment only', async () => {
  await using server = await startServer();
  const { body } = await send(server, '/_iam/settings');
  const hidden = Object.values(settingsTable).filter(({ flag }) => !flag);
  expect(hidden.length).toBeGreaterThan(3);
  for (const { name } of hidden) expect(body).not.toHaveProperty(name);
  expect(JSON.stringify(body)).not.toContain('correct horse');
});

/** The curl example works against a server with default settings. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from './cli-process.ts';
import { makeRunner } from './runner.ts';

const script = path.join(root, 'examples/story.sh');

test('examples/story.sh succeeds and removes its sandbox', async () => {
  await using sandbox = await makeRunner();
  const { url } = await sandbox.serve(['--store', 'memory'], { IAM_APP_CLIENT_ID: 'story-app' });
  const variables = { IAM_BASE_URL: url, IAM_APP_CLIENT_ID: 'story-app' };
  expect(await sandbox.start('bash', [script], variables).done).toEqual({
    code: 0,
    err: '',
    out: [
      'carol signed up',
      'with MFA: 200',
      'with a fault: 500, and after it: 200',
      'one second before expiry: 200',
      'at expiry: 401',
      'the request log contains the rejection',
      '',
    ].join('\n'),
  });
  expect(await (await fetch(`${url}/_iam/sandboxes`)).json()).toEqual([]);
  expect(await (await fetch(`${url}/_iam/clock`)).json()).toMatchObject({ frozen: false, offset: 0 });
});

test('examples/story.sh uses only curl and sed', async () => {
  const text = await readFile(script, 'utf8');
  expect(text).not.toMatch(/\b(node|jq|python|iam\.js)\b/);
  expect(text.split('\n').length).toBeLessThan(60);
});

import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { test } from '../run-cli.ts';

/** Every command that requires confirmation. */
const confirmed = [
  ['groups', 'delete', 'ops'],
  ['call', 'groups.remove', '--param', 'groupId=ops'],
  ['api', 'DELETE', '/groups/ops'],
  ['sessions', 'end', 's1'],
  ['sandbox', 'delete', 'box'],
  ['state', 'reset'],
  ['faults', 'clear'],
];

describe.each(confirmed)('%s %s', (...words) => {
  test('prompts, does nothing on Enter, and requires the name in a protected profile', async ({ home }) => {
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: { store: 'memory', items: [] } } : { json: {} },
    );
    const writes = () => server.received.filter(({ method }) => method !== 'GET').length;
    await saveProfile('plain', { baseUrl: server.url, token: 't' }, home.variables);
    const no = createScriptedPrompter(false);
    expect(await home.iam(words, { columns: 80, prompter: no.prompter })).toMatchObject({ code: 1, out: '' });
    expect(no.questions).toMatchObject([{ type: 'confirm', default: false }]);
    expect(writes()).toBe(0);
    await saveProfile('careful', { baseUrl: server.url, token: 't', protected: true }, home.variables);
    const careful = [...words, '--profile', 'careful', '--yes'];
    const wrong = createScriptedPrompter('plain');
    expect(await home.iam(careful, { columns: 80, prompter: wrong.prompter })).toMatchObject({ code: 1 });
    expect(wrong.questions).toMatchObject([
      { type: 'input', message: expect.stringContaining('Type careful to confirm') },
    ]);
    expect((await home.iam(careful)).code).toBe(10);
    expect((await home.iam([...careful, '--confirm', 'plain'])).code).toBe(2);
    expect(writes()).toBe(0);
    expect(
      (await home.iam(careful, { columns: 80, prompter: createScriptedPrompter(' careful ').prompter })).code,
    ).toBe(0);
    expect(writes()).toBe(1);
  });
});

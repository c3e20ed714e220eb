/** Typical operator tasks with the built command against a separate server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessResult } from './cli-process.ts';
import { makeRunner, type Runner, type Served } from './runner.ts';

let sandbox: Runner;
let served: Served;

beforeAll(async () => {
  sandbox = await makeRunner();
  served = await sandbox.serve();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

const iam = (words: string, more: readonly string[] = [], variables = {}): Promise<ProcessResult> =>
  sandbox.iam([...words.split(' '), ...more], { ...served.variables, ...variables });

/** Runs a command, expects success and returns its JSON output. */
async function done(words: string, ...more: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await iam(words, [...more, '-o', 'json']);
  expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

/** Names or ids printed by a list command. */
async function names(words: string): Promise<string[]> {
  const { code, out, err } = await iam(words, ['-o', 'name']);
  expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
  return out.split('\n').filter((name) => name !== '');
}

async function codeOf(words: string, variables = {}): Promise<number | null> {
  return (await iam(words, [], variables)).code;
}

/** Each step depends on the previous ones. */
describe('an operator', () => {
  let client: { clientId: string; clientSecret: string };
  let apiKey: { apiKeyId: string; apiKey: string };

  test('creates a customer and its business', async () => {
    const made = await done('customers create-business --business-id acme --business-name Acme --document 12345');
    expect(made).toMatchObject({ businessId: 'acme', customerId: expect.any(Number) as number });
    expect(await codeOf('customers create-business --business-id acme --business-name Acme --document 9')).toBe(6);
    expect(await names('customers list')).toEqual(['1']);
    expect(await names('businesses list --name Acme')).toEqual(['acme']);
  });

  test('adds the business to a corporate group', async () => {
    const { corporateGroupId } = await done('corporate-groups create --corporate-group-name holding --business acme');
    const id = String(corporateGroupId);
    expect(await names('corporate-groups list --name holding')).toEqual([id]);
    await done(`corporate-groups update ${id} --corporate-group-name concern --business acme`);
    expect(await done(`corporate-groups get ${id}`)).toMatchObject({
      corporateGroupName: 'concern',
      businesses: [{ businessId: 'acme' }],
    });
  });

  test('creates users, one with and one without a business', async () => {
    const alice = 'users create --user-id alice --user-name alice --user-email alice@example.com --business-id acme';
    await done(alice);
    await done('users create --user-id bob --user-name bob --user-email bob@example.com');
    expect(await codeOf(alice)).toBe(6);
    expect(await names('users list --name alice')).toEqual(['alice']);
    expect(await names('users list')).toEqual(expect.arrayContaining(['alice', 'bob']));
    await done('customers create-user bob --document 777 --name Bob');
    expect(await names('customers list')).toEqual(['1', '2']);
  });

  test('creates groups, one depending on the other', async () => {
    await done('groups create --group-name ops --role DEPLOY,ROLLBACK');
    await done('groups create --group-name leads --role APPROVE --dependency ops');
    expect(await names('groups list --role DEPLOY')).toEqual(['ops']);
    expect((await iam('groups tree leads')).out).toContain('ops');
  });

  test('adds users, the business and its users to groups', async () => {
    await done('groups users add ops alice bob');
    await done('groups businesses add ops acme');
    await done('groups business-users add leads acme alice');
    expect(await names('groups users list ops')).toEqual(['alice', 'bob']);
    expect(await names('groups businesses list ops')).toEqual(['acme']);
    expect(await names('groups business-users list leads acme')).toEqual(['alice']);
    expect(await codeOf('groups business-users add leads acme bob')).toBe(7);
    expect(await names('groups users list leads')).toEqual([]);
    const members = (await done('groups members ops')) as unknown as { kind: string }[];
    expect(members.map(({ kind }) => kind).sort()).toEqual(['business', 'user', 'user']);
  });

  test('checks roles and their origin', async () => {
    expect(await done('can alice APPROVE')).toMatchObject({ allowed: true, through: ['leads'] });
    expect(await done('can alice DEPLOY')).toMatchObject({ allowed: true, kind: 'user' });
    expect(await codeOf('can bob APPROVE')).toBe(1);
    expect(await done('users roles bob')).toMatchObject([
      { role: 'DEPLOY', groupNames: ['ops'] },
      { role: 'ROLLBACK' },
    ]);
    expect(await names('businesses roles acme')).toHaveLength(2);
  });

  test('creates a service client with a key, limited to the roles of its groups', async () => {
    client = (await done('clients create --app-id billing --service-account-id billing-service')) as typeof client;
    apiKey = (await done(`api-key create --app-id billing --client-id ${client.clientId}`)) as typeof apiKey;
    await done('groups services add ops billing-service');
    expect(await done('can billing-service DEPLOY')).toMatchObject({
      allowed: true,
      kind: 'service',
      through: ['ops'],
    });
    expect(await names('services roles billing-service')).toEqual(['DEPLOY', 'ROLLBACK']);
    // An administrator could give itself the roles of the service, so it may create a key for the service as well.
    const spare = await done(`api-key create --app-id billing --client-id ${client.clientId}`);
    await done(`api-key delete ${spare.apiKeyId}`, '--yes');
    const asService = { IAM_CLIENT_ID: '', IAM_CLIENT_SECRET: '', IAM_API_KEY: apiKey.apiKey };
    expect(await codeOf('groups list', asService)).toBe(5);
    await done('groups services add iam-auditors billing-service', '--yes');
    expect(await codeOf('groups list', asService)).toBe(0);
    expect(await codeOf('groups create --group-name mine', asService)).toBe(5);
  });

  test('lists clients and keys without secrets', async () => {
    const lists = await Promise.all(
      ['clients list', 'api-key list'].map((words) => iam(words, ['--all', '-o', 'csv'])),
    );
    for (const { code, out } of lists) {
      expect(code).toBe(0);
      expect(out).toContain(client.clientId);
      expect(out).not.toContain(client.clientSecret);
      expect(out).not.toContain(apiKey.apiKey);
    }
  });

  test('updates a name, an e-mail address, a role and a unit', async () => {
    await done(
      'users update alice --user-email alice@example.org --user-mobile.region-code 55 --user-mobile.area-code 11 --user-mobile.phone-number 987654321',
    );
    expect(await done('users get alice')).toMatchObject({
      userEmail: 'alice@example.org',
      userMobile: { areaCode: 11 },
    });
    await done('users add-identity alice alice.smith');
    expect(await names('users list --name alice.smith')).toEqual(['alice']);
    await done('users remove-identity alice alice.smith');
    await done('groups update ops --add-role RESTART --remove-role ROLLBACK');
    expect(await names('services roles billing-service')).toEqual(expect.arrayContaining(['RESTART']));
    const move = `clients migrate --client-id ${client.clientId} --target.organization-id acme --target.business-unit-id it`;
    expect(await done(move)).toEqual({ matched: 1, migrated: 1 });
  });

  test('locks a user who has left, and unlocks another', async () => {
    expect(await codeOf('users lock bob')).toBe(10);
    await done('users lock bob --reason left --yes');
    expect(await done('users list --name bob')).toMatchObject([{ locked: true }]);
    await done('users unlock bob');
    expect(await done('users list --name bob')).toMatchObject([{ locked: false }]);
  });

  test('moves the key of a service that has roles to another application', async () => {
    await done(`api-key update ${apiKey.apiKeyId} --app-id accounting --client-id ${client.clientId}`);
    expect(await names('api-key list --app-id accounting')).toEqual([apiKey.apiKeyId]);
  });

  test('deletes everything', async () => {
    await done('groups business-users remove leads acme alice');
    await done('groups users remove ops alice');
    await done('groups businesses remove ops acme');
    await done('groups services remove iam-auditors billing-service');
    const steps = [
      `api-key delete ${apiKey.apiKeyId}`,
      'clients delete billing-service',
      'users delete alice',
      'users delete bob',
      'groups delete leads',
      'groups delete ops',
    ];
    for (const words of steps) {
      expect([words, await codeOf(words)]).toEqual([words, 10]);
      await done(words, '--yes');
    }
    for (const words of [
      'groups get ops',
      'users get alice',
      'services roles billing-service',
      'clients delete billing-service --yes',
    ])
      expect([words, await codeOf(words)]).toEqual([words, 3]);
    expect(await names('users list --name alice')).toEqual([]);
    expect(
      await codeOf('groups list', { IAM_CLIENT_ID: client.clientId, IAM_CLIENT_SECRET: client.clientSecret }),
    ).toBe(4);
  });
});

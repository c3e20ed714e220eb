/** Users of Auth0, in each form in which their files exist, become users who log in as before. */
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hash } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportNote } from '../../../../src/server/seed/convert/report.ts';
import { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, startServer } from '../../../harness.ts';
import { basic, post } from '../../../server/operations/user-identities/login-fixtures.ts';
import { Home } from '../../run-cli.ts';

const password = 'correct horse battery staple';
const bcryptHash = hashSync(password, 4);
let home: Home;

beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home[Symbol.asyncDispose]());

/** Imports a text, or objects as lines, and hashes before them. @returns the outcome, the seed, and the notes as text */
async function convert(
  users: string | readonly object[],
  { options = [], hashes }: { readonly options?: readonly string[]; readonly hashes?: readonly object[] } = {},
) {
  const write = async (content: string | readonly object[]) => {
    const file = path.join(home.folder, `${crypto.randomUUID()}.ndjson`);
    const toLines = (objects: readonly object[]) => objects.map((one) => JSON.stringify(one)).join('\n');
    await writeFile(file, typeof content === 'string' ? content : toLines(content));
    return file;
  };
  const files = [...(hashes ? [await write(hashes)] : []), await write(users)];
  const to = path.join(home.folder, `${crypto.randomUUID()}.json`);
  const result = await home.iam(['import', 'auth0', ...files, '--to', to, ...options]);
  const seed = await readFile(to, 'utf8').catch(() => undefined);
  const report = seed === undefined ? '' : await readFile(to.replace(/json$/, 'report.jsonl'), 'utf8');
  const notes = report.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ImportNote]));
  return {
    ...result,
    file: files[0] ?? '',
    seed: seed === undefined ? undefined : await SeedDocument.parseAsync(JSON.parse(seed)),
    notes: notes.map(({ kind, name, lost, reason }) => `${lost ? 'lost ' : ''}${kind} ${name}: ${reason}`),
  };
}

const inDatabase = (id: string) => ({ provider: 'auth0', user_id: id, connection: 'Users', isSocial: false });
const carol = {
  ...{ user_id: 'auth0|1', email: 'carol@example.com', email_verified: true, username: null, blocked: null },
  ...{ identities: [inDatabase('1')], app_metadata: null, user_metadata: {}, nickname: 'carol', logins_count: 3 },
};
const dave = { user_id: 'auth0|2', username: 'dave', email: 'dave@example.com', blocked: true, email_verified: false };

describe('the file', () => {
  const users = [carol, dave];
  const lines = users.map((one) => JSON.stringify(one));
  test.each([
    ['lines', lines.join('\n')],
    ['lines with CRLF, a byte order mark and empty ones', `\uFEFF\r\n${lines.join('\r\n\r\n')}\r\n`],
    ['a list, as bulk imports have it', JSON.stringify(users)],
    ['a formatted list', JSON.stringify(users, undefined, 2)],
    ['a page of the Management API', JSON.stringify({ start: 0, users, total: 2 }, undefined, 1).replace('{\n', '{')],
    ['formatted objects in sequence', users.map((one) => JSON.stringify(one, undefined, 2)).join('\n')],
    [
      'fields as the export extension names them',
      users
        .map(({ user_id: Id, email: Email, email_verified: verified, ...others }) =>
          JSON.stringify({ Id, Email, 'Email Verified': verified, ...others }),
        )
        .join('\n'),
    ],
  ])('can be %s', async (_, text) => {
    const { code, seed, notes } = await convert(text);
    expect(seed?.users).toEqual([
      { userId: 'auth0-1', userName: 'carol@example.com', userEmail: 'carol@example.com' },
      { userId: 'auth0-2', userName: 'dave', locked: true },
    ]);
    expect([code, notes.length]).toEqual([8, 3]);
  });

  test.each([
    ['', ' is empty'],
    [
      'user_id,email\n"\'auth0|1","\'a@example.com"',
      ' is not JSON; an export in CSV must be repeated with the format json',
    ],
    [`${lines[0]}\n{"email":`, ':2:10: '],
    [`${lines[0]}\n[]`, ':2 is not a user of Auth0'],
    ['[{"email":"a@example.com"},null]', ', entry 2, is not a user of Auth0'],
    ['{"hello":1}', ':1 is not a user of Auth0: it has no user_id, username or email'],
    ['{"email":"a@example.com","email":"b@example.com"}', ':1:26: "email" is repeated'],
  ])('with %j is refused with the place', async (text, message) => {
    const { code, seed, err, file } = await convert(text);
    expect([code, seed]).toEqual([2, undefined]);
    expect(err).toContain(`${file}${message}`);
  });
});

describe('passwords', () => {
  const salt = Buffer.from('0123456789abcdef');
  const phc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const pbkdf2 = phc(pbkdf2Sync(password, salt, 1000, 32, 'sha256'));
  const scrypt = scryptSync(password, salt, 32, { N: 1024 });
  const custom = (algorithm: string, value: string, more: object = {}) => ({
    custom_password_hash: { algorithm, hash: { value, encoding: 'utf8' }, salt: null, ...more },
  });

  test('of each kind that the service verifies work at the next login', async () => {
    const kinds = {
      argon2: custom('argon2', await hash(password, { memoryCost: 7168, timeCost: 2 })),
      text: { custom_password_hash: { algorithm: 'bcrypt', hash: bcryptHash } },
      bcrypt: custom('bcrypt', bcryptHash.replace('$2b$', '$2a$')),
      pbkdf2: custom('pbkdf2', `$pbkdf2-sha256$i=1000,l=32$${phc(salt)}$${pbkdf2}`),
      scrypt: custom('scrypt', '', {
        hash: { value: scrypt.toString('hex'), encoding: 'hex' },
        salt: { value: salt.toString('base64'), encoding: 'base64', position: null },
        ...{ keylen: 32, cost: 1024, password: null },
      }),
      plain: { password_hash: bcryptHash },
    };
    const users = Object.entries(kinds).map(([username, own]) => ({ username, ...own }));
    const { code, seed, notes } = await convert(JSON.stringify(users));
    expect([code, notes]).toEqual([0, []]);
    await using server = await startServer({ seed: seed ?? {} });
    for (const { username } of users) {
      const authorization = basic(username, password);
      const login = await post(server, `/user-identities/login?clientId=${appClientId}`, { authorization });
      expect([username, login.status]).toEqual([username, 201]);
    }
  });

  test('of other kinds, or over the bounds, are lost alone', async () => {
    const algorithms = ['hmac', 'ldap', 'md4', 'md5', 'sha1', 'sha256', 'sha512'];
    const users = [
      ...algorithms.map((username) => ({ username, ...custom(username, '00', { salt: { value: 'x' } }) })),
      { username: 'costly', password_hash: bcryptHash.replace('$04$', '$15$') },
      { username: 'broken', custom_password_hash: 'text' },
      { username: 'none', custom_password_hash: null, password_hash: null },
    ];
    const { code, seed, notes, err } = await convert(users);
    expect([code, seed?.users?.length, notes.length]).toEqual([8, users.length, users.length]);
    for (const { username } of users)
      expect(notes).toContainEqual(expect.stringMatching(new RegExp(`^lost passwords ${username}: .* set a new one$`)));
    expect(notes.join()).toContain('is a hash of md5, which is not verified');
    expect(err).toContain('passwords (10)');
  });

  test('come from the export of hashes, by the id of the user, that of a linked account, or its address', async () => {
    const hashes = [
      { _id: { $oid: '1' }, email: 'other@example.com', email_verified: true, passwordHash: bcryptHash, tenant: 't' },
      { _id: { $oid: '0f' }, alt_id: 'erp-7', passwordHash: bcryptHash, email: 'erin@example.com' },
      { _id: { $oid: '3' }, email: 'frank@example.com', passwordHash: bcryptHash },
      {
        ...{ _id: { $oid: '4' }, passwordHash: bcryptHash },
        identifiers: [
          { type: 'username', value: 'gina' },
          { type: 'email', value: 'gina@example.com', verified: true },
        ],
      },
    ];
    const linked = { provider: 'google-oauth2', user_id: 10_677, connection: 'google-oauth2', isSocial: true };
    const users = [
      { ...carol, email_verified: undefined },
      { user_id: 'google-oauth2|10677', email: 'erin@example.com', identities: [linked, inDatabase('erp-7')] },
      { email: 'Frank@example.com', email_verified: true },
    ];
    const { seed, notes } = await convert(users, { hashes });
    const passwordHash = bcryptHash;
    expect(seed?.users).toEqual([
      { userId: 'auth0-1', userName: 'carol@example.com', passwordHash },
      {
        ...{ userId: 'google-oauth2-10677', userName: 'erin@example.com', passwordHash },
        identities: ['google-oauth2:10677'],
      },
      { userId: 'auth0-3', userName: 'Frank@example.com', userEmail: 'Frank@example.com', passwordHash },
      { userId: 'auth0-4', userName: 'gina', userEmail: 'gina@example.com', passwordHash },
    ]);
    expect(notes).toContain(
      'lost identity providers google-oauth2: is not in the file: add a provider of this name to the seed (users with links to it: 1)',
    );
  });
});

test('links to identity providers are kept, and users without a password leave names to those with one', async () => {
  const { code, seed, notes } = await convert([
    { user_id: 'google-oauth2|106', email: 'CAROL@example.com', email_verified: true },
    { user_id: 'samlp|corp|erin@corp.example', email: null, phone_number: null },
    {
      user_id: 'facebook|10156789012345678',
      identities: [{ provider: 'facebook', user_id: 10_156_789_012_345_678, connection: 'facebook', isSocial: true }],
    },
    {
      user_id: 'waad|x',
      identities: [{ provider: 'waad', user_id: 'staff|x', connection: 'staff', isSocial: false }],
    },
    { ...carol, password_hash: bcryptHash },
    { user_id: 'sms|5', phone_number: '+1 (555) 234-5678', phone_verified: true },
    { user_id: 'oauth2|bad|', username: 'bad' },
  ]);
  expect(code).toBe(8);
  expect(seed?.users).toEqual([
    expect.objectContaining({ userId: 'auth0-1', userName: 'carol@example.com', userEmail: 'carol@example.com' }),
    { userId: 'google-oauth2-106', identities: ['google-oauth2:106'] },
    { userId: 'samlp-corp-erin@corp.example', identities: ['corp:erin@corp.example'] },
    { userId: 'facebook-10156789012345678', identities: ['facebook:10156789012345678'] },
    { userId: 'waad-x', identities: ['staff:x'] },
    { userId: 'sms-5', userMobile: { regionCode: 1, areaCode: 555, phoneNumber: 2_345_678 } },
    { userId: 'oauth2-bad-', userName: 'bad' },
  ]);
  for (const note of [
    'users CAROL@example.com: has no name: another user has its e-mail address',
    'phone numbers sms|5: is +1 555 2345678: check its area code',
    'lost passwords sms|5: is missing: the user logged in with codes, and must set one',
    'lost federated identities bad of bad: has no usable user_id',
  ])
    expect(notes).toContain(note);
});

test('roles in app_metadata become groups, and what has no place is reported', async () => {
  const user = (username: string, app_metadata: unknown, more: object = {}) => ({
    ...{ user_id: `auth0|${username}`, username, password_hash: bcryptHash, app_metadata },
    ...more,
  });
  const { code, seed, notes } = await convert([
    user('ann', {
      roles: ['Editor', 'billing:read'],
      authorization: { roles: ['Editor'], groups: ['x'] },
      plan: 'pro',
    }),
    user('ben', { authorization: { roles: ['ops team', null, 5] } }, { user_metadata: { roles: ['Editor'] } }),
    user('cat', { roles: 'Editor, auditor' }),
    user('dan', 'text', { roles: [{ id: 'rol_1', name: 'Editor' }] }),
    user('eve', { roles: ['ADMIN', 'USER'], permissions: [] }),
  ]);
  const group = (role: string, ...users: readonly string[]) => ({
    ...{ groupName: `role ${role}`, roles: [role], users: users.map((name) => `auth0-${name}`) },
  });
  expect(seed?.groups).toEqual([
    group('Editor', 'ann', 'cat', 'dan'),
    group('billing:read', 'ann'),
    group('ops_team', 'ben'),
    group('r-5', 'ben'),
    group('auditor', 'cat'),
  ]);
  expect(code).toBe(8);
  for (const note of [
    'app_metadata ann: authorization.groups, plan: not converted',
    'user_metadata ben: roles: not converted',
    'roles ops team: is ops_team',
    expect.stringMatching(/^lost roles ADMIN: ADMIN is a role of this service/),
  ])
    expect(notes).toContainEqual(note);
  const { seed: kept } = await convert([user('eve', { roles: ['ADMIN'] })], { options: ['--keep-role', 'ADMIN'] });
  expect(kept?.groups).toEqual([group('ADMIN', 'eve')]);
});

test('an optional field that does not fit is left out alone', async () => {
  const { seed, notes } = await convert([
    {
      ...{ user_id: 'auth0|1', username: 'ann', email: 'no address', email_verified: true, password_hash: bcryptHash },
      ...{ phone_number: '0170 1234', phone_verified: true, blocked: 'no', identities: 'none', app_metadata: [] },
      mfa_factors: [
        { totp: { secret: 'JBSWY3DPEHPK3PXP' } },
        { phone: { value: '+4917012345678' } },
        { email: { value: 'ann@example.com' } },
        { email: { value: 'no address' } },
        null,
      ],
    },
    {
      user_id: 'auth0|2',
      username: ' ben:smith ',
      email: 7,
      phone_number: '+49 170 12345678',
      password_hash: bcryptHash,
    },
    { user_id: `auth0|${'z'.repeat(80)} y`, username: 'cat', email: 'cat@example.com', email_verified: 'true' },
  ]);
  expect(seed?.users).toEqual([
    {
      ...{ userId: 'auth0-1', userName: 'ann', passwordHash: bcryptHash },
      factors: [
        { contactType: 'MOBILE', mobile: { regionCode: 49, areaCode: 170, phoneNumber: 12_345_678 } },
        { contactType: 'EMAIL', email: 'ann@example.com' },
      ],
    },
    { userId: 'auth0-2', userName: 'ben-smith', passwordHash: bcryptHash },
    { userId: `auth0-${'z'.repeat(58)}`, userName: 'cat', userEmail: 'cat@example.com' },
  ]);
  for (const note of [
    'phone numbers ann: is not an international number with +',
    'lost second factors totp of ann: must be registered again',
    expect.stringMatching(/^lost e-mail addresses ann: must be an e-mail address/),
    'phone numbers  ben:smith : is not verified',
    'lost user names  ben:smith : is ben-smith',
  ])
    expect(notes).toContainEqual(note);
});

test('flags and metadata of other languages count, and what is neither is reported', async () => {
  const user = (username: string, fields: object) => ({
    ...{ user_id: `auth0|${username}`, username, password_hash: bcryptHash },
    ...fields,
  });
  const { code, seed, notes } = await convert([
    user('ann', { blocked: 'True', email: 'ann@example.com', email_verified: 'TRUE' }),
    user('ben', { blocked: 'False', email: 'ben@example.com', email_verified: 'False' }),
    user('cat', { blocked: 1, app_metadata: '{"roles":["Editor"],"plan":"pro"}', user_metadata: '{"team":"x"}' }),
    user('dan', { blocked: 'no', app_metadata: '', user_metadata: 'null' }),
    user('eve', { blocked: 'maybe', app_metadata: '{"roles":["Editor"]', user_metadata: 'text' }),
    user('fay', { app_metadata: [], user_metadata: {} }),
    user('{{ name }}', { email: '%MAIL%', email_verified: true }),
  ]);
  expect(seed?.users?.map(({ userName, locked, userEmail }) => [userName, locked, userEmail])).toEqual([
    ['ann', true, 'ann@example.com'],
    ['ben', undefined, undefined],
    ['cat', true, undefined],
    ['dan', undefined, undefined],
    ['eve', true, undefined],
    ['fay', undefined, undefined],
    [undefined, undefined, undefined],
  ]);
  expect(seed?.groups).toEqual([{ groupName: 'role Editor', roles: ['Editor'], users: ['auth0-cat'] }]);
  expect([code, notes.filter((note) => !/^(?:lost )?e-mail addresses ben/.test(note))]).toEqual([
    8,
    [
      'lost app_metadata eve: is not an object',
      'lost user names {{ name }}: is a placeholder: replace it in the file before the import',
      'lost e-mail addresses {{ name }}: is a placeholder: replace it in the file before the import',
      'lost flags blocked of eve: is neither true nor false: check what the seed has',
      'app_metadata cat: plan: not converted',
      'user_metadata cat: team: not converted',
      'user_metadata eve: is not an object',
      'users {{ name }}: has the id user',
    ],
  ]);
});

test('entries of a user in several files are one, with the roles and links of all', async () => {
  const inGoogle = { provider: 'google-oauth2', user_id: '106', connection: 'google-oauth2', isSocial: true };
  const { seed, notes } = await convert([
    {
      user_id: 'auth0|1',
      username: 'ann',
      password_hash: bcryptHash,
      app_metadata: { roles: ['Editor'], plan: 'pro' },
    },
    {
      user_id: 'auth0|1',
      blocked: 'True',
      app_metadata: '{"roles":["auditor"]}',
      identities: [inDatabase('1'), inGoogle],
    },
    { user_id: 'auth0|1', blocked: false, app_metadata: { roles: ['Editor'] }, identities: [inDatabase('1')] },
    { user_id: 'auth0|2', username: 'ben', password_hash: bcryptHash, app_metadata: { roles: { Editor: true } } },
    {
      user_id: 'auth0|3',
      username: 'cat',
      password_hash: bcryptHash,
      roles: ['Editor', { id: 1 }, null],
      app_metadata: { roles: {} },
    },
  ]);
  expect(seed?.users?.map(({ userName, locked, identities }) => [userName, locked, identities])).toEqual([
    ['ann', true, ['google-oauth2:106']],
    ['ben', undefined, undefined],
    ['cat', undefined, undefined],
  ]);
  expect(seed?.groups?.map(({ roles, users }) => [roles, users])).toEqual([
    [['Editor'], ['auth0-1', 'auth0-3']],
    [['auditor'], ['auth0-1']],
  ]);
  expect(notes.filter((note) => note.includes('roles of'))).toEqual([
    'lost roles of ben: must be a list of names, or of objects with a name',
    'lost roles of cat: must be a list of names, or of objects with a name',
  ]);
});

/** The claims in docs/oauth.md are those of real tokens, with their types. */
import { readFile } from 'node:fs/promises';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { clientToken, issueLogonToken, seed, startOAuth, userTokens } from './oauth-requests.ts';

interface Row {
  readonly claim: string;
  readonly type: string;
  readonly tokens: readonly string[];
  readonly example: unknown;
}

async function readRows(): Promise<Row[]> {
  const text = await readFile(new URL('../../../docs/oauth.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| Claim \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/.exec(text) ?? [];
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, claim = '', type = '', tokens = '', example = ''] = line.split('|').map((cell) => cell.trim());
      return {
        claim: claim.replaceAll('`', ''),
        type,
        tokens: tokens === 'all' ? ['user', 'client', 'logon'] : tokens.split(', '),
        example: JSON.parse(example.replaceAll('`', '')),
      };
    });
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === true ? 'true' : typeof value === 'string' ? 'text' : typeof value;
}

async function issueTokens() {
  const organization = { organizationId: 'org-1', businessUnitId: 'unit-1' };
  const clients = seed.clients?.map((client) =>
    client.clientId === 'web'
      ? { ...client, ...organization, businessId: 'acme', serviceAccountId: 'shop-service', audiences: ['urn:orders'] }
      : client,
  );
  const users = seed.users?.map((user) => ({ ...user, businessId: 'acme' }));
  const businesses = [{ businessId: 'acme', businessName: 'Acme', corporateGroupName: 'concern' }];
  const corporateGroups = [{ corporateGroupName: 'concern', organizationId: 'org-1' }];
  await using server = await startOAuth({ seed: { ...seed, corporateGroups, businesses, users, clients } });
  const { store } = server.appContext;
  await store.transaction(async (tx) => {
    const client = await tx.clients.get('web');
    const business = await tx.businesses.get('acme');
    if (client) await tx.clients.replace({ ...client, tokenGeneration: 1 });
    if (business) await tx.businesses.replace({ ...business, ...organization });
    await tx.customers.insert({ customerId: 1001, businessId: 'acme', document: '1', createdAt: '' } as never);
  });
  const whole = (await userTokens(server, 'web')).access_token;
  const narrow = await server.as({ token: whole }).userIdentities.accessToken({ body: { scope: [] } });
  return {
    client: [await clientToken(server, 'web'), await clientToken(server, 'api')],
    user: [whole, narrow.accessToken],
    logon: [await issueLogonToken(server, 'web')],
  };
}

test('lists every claim of real tokens with its type and an example', async () => {
  const rows = await readRows();
  const tokens = Object.entries(await issueTokens()).flatMap(([kind, texts]) =>
    texts.map((text) => ({ kind, claims: decodeJwt(text) as Record<string, unknown> })),
  );
  const found = new Set<string>();
  for (const { kind, claims } of tokens)
    for (const [claim, value] of Object.entries(claims)) {
      found.add(`${claim} ${kind}`);
      const row = rows.find((one) => one.claim === claim);
      expect([claim, kind, row?.type.split(' or '), row?.tokens]).toEqual([
        claim,
        kind,
        expect.arrayContaining([typeOf(value)]),
        expect.arrayContaining([kind]),
      ]);
    }
  const unseen = rows.flatMap(({ claim, tokens: kinds }) =>
    kinds.filter((kind) => !found.has(`${claim} ${kind}`)).map((kind) => `${claim} ${kind}`),
  );
  // A user that logged in with a mainframe logon.
  expect(unseen).toEqual(['logon user']);
  for (const { claim, type, example } of rows)
    expect([claim, type.split(' or ')]).toEqual([claim, expect.arrayContaining([typeOf(example)])]);
});

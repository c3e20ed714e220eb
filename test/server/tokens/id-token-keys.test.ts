/** Keys of ID tokens: created at the first use, published, rotated beside those of access tokens, and never theirs. */
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { assertKeysUsable, type KeyRing, openKeyRing } from '../../../src/server/tokens/keys.ts';
import { isFullRun } from '../../effort.ts';
import { createFakeClock, startServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { exportState, importState } from '../control/routes/state/state-client.ts';
import { callWithToken, createValidClaims } from './forge.ts';

/** RSA keys take up to seconds to generate. */
const algorithms = [
  { access: 'EdDSA', idToken: 'ES256' } as const,
  ...(isFullRun ? [{ access: 'ES256', idToken: 'RS256' } as const] : []),
];
const settings = { alg: 'EdDSA', longestToken: 600, timer: { after: () => () => undefined } } as const;

function shareStore(): Store {
  return {
    ...openMemoryStore(),
    shared: {
      replica: 'one',
      runAlone: (_name, work) => work(),
      loginEvents: { publish: async () => undefined, readNew: async () => [] },
    },
  };
}

const publishedKids = (ring: KeyRing) => ring.publicKeys().map(({ kid }) => kid);

/** The id of the key that signs ID tokens now. */
async function idTokenKid(ring: KeyRing): Promise<string> {
  const { kid, typ } = decodeProtectedHeader(await (await ring.idTokenSigner('ES256')).sign({}));
  expect(typ).toBe('JWT');
  return String(kid);
}

describe('the key of ID tokens', () => {
  test('is the current key, if that has the algorithm', async () => {
    const clock = createFakeClock();
    const ring = await openKeyRing({ ...settings, alg: 'ES256', store: openMemoryStore(), clock });
    expect(await idTokenKid(ring)).toBe(ring.current().kid);
    expect(publishedKids(ring)).toHaveLength(1);
    expect(await ring.rotate()).toMatchObject({ idTokenKids: [] });
    expect(await idTokenKid(ring)).toBe(ring.current().kid);
  });

  test('is else one that the first uses on all servers agree on, and verifies no access token', async () => {
    const deps = { ...settings, store: shareStore(), clock: createFakeClock() };
    const [one, other] = [await openKeyRing(deps), await openKeyRing(deps)];
    const [kid = '', ...kids] = await Promise.all([one, one, other, other].map(idTokenKid));
    expect(kids).toEqual([kid, kid, kid]);
    for (const ring of [one, other, await openKeyRing(deps)]) {
      expect(publishedKids(ring)).toEqual([one.current().kid, kid]);
      expect(await idTokenKid(ring)).toBe(kid);
      expect([ring.find(kid), ring.findForIdToken(kid)?.alg]).toEqual([undefined, 'ES256']);
      expect([ring.isSigning(kid), ring.isSigning(ring.current().kid)]).toEqual([true, true]);
    }
  });

  test('is published by a server that did not create it', async () => {
    const deps = { ...settings, store: shareStore(), clock: createFakeClock() };
    const [one, other] = [await openKeyRing(deps), await openKeyRing(deps)];
    const kid = await idTokenKid(one);
    await other.tryRefresh();
    expect(publishedKids(other)).toContain(kid);
  });

  test('is not replaced with the algorithm of access tokens', async () => {
    const deps = { ...settings, store: openMemoryStore(), clock: createFakeClock() };
    const kid = await idTokenKid(await openKeyRing(deps));
    const changed = await openKeyRing({ ...deps, alg: 'ES256' });
    expect(await idTokenKid(changed)).toBe(changed.current().kid);
    expect(changed.isSigning(kid)).toBe(true);
    expect(await idTokenKid(await openKeyRing(deps))).toBe(kid);
  });
});

describe('a rotation', () => {
  test('replaces the keys of both kinds, and each verifies as long as its own tokens are valid', async () => {
    const clock = createFakeClock();
    const ring = await openKeyRing({ ...settings, store: openMemoryStore(), clock });
    const access = ring.current().kid;
    const idToken = await idTokenKid(ring);
    expect(ring.publicKeysBefore().map(({ kid }) => kid)).toEqual([access, idToken]);
    const rotation = await ring.rotate();
    expect([rotation.kid, rotation.idTokenKids]).toEqual([ring.current().kid, [await idTokenKid(ring)]]);
    const now = clock.now().getTime() / 1000;
    expect(new Set(rotation.retired)).toEqual(
      new Set([
        { kid: access, until: now + 660 },
        { kid: idToken, until: now + 3660 },
      ]),
    );
    expect(new Set(publishedKids(ring))).toEqual(new Set([rotation.kid, access, ...rotation.idTokenKids, idToken]));
    expect(ring.publicKeysBefore().map(({ kid }) => kid)).toEqual([access, idToken]);
    clock.advance(660);
    expect(publishedKids(ring)).not.toContain(access);
    expect(ring.findForIdToken(idToken)).toBeDefined();
    clock.advance(3000);
    expect(publishedKids(ring)).toEqual([rotation.kid, ...rotation.idTokenKids]);
  });

  test('is announced for both kinds on servers that share a store, also for a key of another server', async () => {
    const deps = { ...settings, store: shareStore(), clock: createFakeClock() };
    const [one, other] = [await openKeyRing(deps), await openKeyRing(deps)];
    const before = await idTokenKid(one);
    const rotation = await other.rotate();
    expect(await other.rotate()).toEqual(rotation);
    const [next = ''] = rotation.idTokenKids;
    expect(publishedKids(other)).toContain(next);
    expect([await idTokenKid(other), other.isSigning(next)]).toEqual([before, false]);
    deps.clock.advance(10);
    await one.refresh();
    expect([one.current().kid, await idTokenKid(one)]).toEqual([rotation.kid, next]);
    expect(one.findForIdToken(before)).toBeDefined();
  });

  test('is not created again by a server at which the code of a login elsewhere is exchanged', async () => {
    const deps = { ...settings, store: shareStore(), clock: createFakeClock() };
    const [one, other] = [await openKeyRing(deps), await openKeyRing(deps)];
    const kid = await idTokenKid(one);
    using generate = vi.spyOn(crypto.subtle, 'generateKey');
    expect(await idTokenKid(other)).toBe(kid);
    expect(generate).not.toHaveBeenCalled();
  });

  test('is not importable with a broken key that signs later', async () => {
    const deps = { ...settings, store: shareStore(), clock: createFakeClock() };
    await (await openKeyRing(deps)).rotate();
    const rows = await deps.store.signingKeys.list();
    await expect(assertKeysUsable(rows)).resolves.toBeUndefined();
    const broken = rows.map((row) => (row.current ? row : { ...row, privateJwk: {} }));
    await expect(assertKeysUsable(broken)).rejects.toThrow();
  });
});

test.each(algorithms)(
  'with $access for access tokens, ID tokens of $idToken have a key of their own',
  async (algorithms) => {
    await using server = await startServer({ flags: { 'signing-alg': algorithms.access } });
    const { keys } = server.appContext;
    const claims = createValidClaims(server);
    const signer = await keys.idTokenSigner(algorithms.idToken);
    const token = await signer.sign(claims);
    const { kid } = decodeProtectedHeader(token);
    const set = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
    const { protectedHeader } = await jwtVerify(token, set, { typ: 'JWT', currentDate: server.clock.now() });
    expect(protectedHeader).toEqual({ alg: algorithms.idToken, kid, typ: 'JWT' });

    for (const one of [token, await signer.sign(claims, { typ: 'at+jwt' })]) {
      expect(await callWithToken(server, one)).toMatchObject({ status: 401 });
      const { body } = await send(server, '/_iam/tokens/inspect', { method: 'POST', body: { token: one } });
      expect(body).toMatchObject({
        reason: 'It is a token of this server, but not an access token.',
        key: { kid, purpose: 'id-token', state: 'current' },
      });
    }

    await send(server, '/_iam/faults', { method: 'POST', body: { target: 'jwks', effect: { missingKey: true } } });
    expect((await send(server, '/.well-known/jwks.json')).body).toEqual({ keys: [] });
    await using second = await startServer({ flags: { 'signing-alg': algorithms.access } });
    expect(await importState(second, await exportState(server))).toMatchObject({ status: 204 });
    expect(
      decodeProtectedHeader(await (await second.appContext.keys.idTokenSigner(algorithms.idToken)).sign({})).kid,
    ).toBe(kid);

    const { body } = await send(server, '/_iam/keys/rotate', { method: 'POST' });
    const [next] = (body as { idTokenKids: string[] }).idTokenKids;
    expect((await send(server, '/_iam/keys')).body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kid: next, purpose: 'id-token', state: 'current' }),
        expect.objectContaining({ kid, purpose: 'id-token', state: 'retired' }),
      ]),
    );
  },
);

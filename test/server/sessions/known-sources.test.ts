/** The known sources of a user. */
import { describe, expect, test } from 'vitest';
import {
  callerKey,
  findKnownCaller,
  isKnownSource,
  withKnownSource,
  withOnlyKnownSources,
  withoutKnownSources,
} from '../../../src/server/sessions/known-sources.ts';
import type { Device, User } from '../../../src/server/store/tables.ts';
import { createFakeClock } from '../../harness.ts';

const storeSecret = { digest: (use: string, text: string) => `${use} ${text}` };
const ann: User = {
  userId: 'ann',
  userName: 'ann',
  emailVerified: false,
  mobileVerified: false,
  lead: false,
  locked: false,
  identities: [],
  createdAt: '2026-03-01T12:00:00.000Z',
};
const day = 24 * 3600;

function createHarness() {
  const clock = createFakeClock();
  return { clock, deps: { clock, storeSecret } };
}

describe('a known source', () => {
  test('is one that was recorded for this user', () => {
    const { deps } = createHarness();
    const known = withKnownSource(ann, '192.0.2.1', deps);
    expect(isKnownSource(known, '192.0.2.1', deps)).toBe(true);
    expect(isKnownSource(known, '192.0.2.2', deps)).toBe(false);
    expect(isKnownSource({ ...known, userId: 'bob' }, '192.0.2.1', deps)).toBe(false);
  });

  test('expires after 90 days without a login', () => {
    const { clock, deps } = createHarness();
    const known = withKnownSource(ann, '192.0.2.1', deps);
    clock.advance(90 * day - 1);
    expect(isKnownSource(known, '192.0.2.1', deps)).toBe(true);
    clock.advance(1);
    expect(isKnownSource(known, '192.0.2.1', deps)).toBe(false);
  });

  test('is updated once a day, and not at every login', () => {
    const { clock, deps } = createHarness();
    const known = withKnownSource(ann, '192.0.2.1', deps);
    expect(withKnownSource(known, '192.0.2.1', deps)).toBe(known);
    clock.advance(day);
    const later = withKnownSource(known, '192.0.2.1', deps);
    expect(later.knownSources).toHaveLength(1);
    clock.advance(89 * day);
    expect(isKnownSource(later, '192.0.2.1', deps)).toBe(true);
  });

  test('as the 21st replaces the one seen longest ago, except the ten that were added first', () => {
    const { clock, deps } = createHarness();
    let user = ann;
    for (let host = 0; host < 20; host += 1) {
      clock.advance(1);
      user = withKnownSource(user, `192.0.2.${host}`, deps);
    }
    clock.advance(day);
    user = withKnownSource(withKnownSource(user, '192.0.2.10', deps), '192.0.2.20', deps);
    expect(user.knownSources).toHaveLength(20);
    const replaced = Array.from({ length: 21 }, (_, host) => host).filter(
      (host) => !isKnownSource(user, `192.0.2.${host}`, deps),
    );
    expect(replaced).toEqual([11]);
  });

  test('is the only one after a password change', () => {
    const { deps } = createHarness();
    const before = withKnownSource(ann, '192.0.2.1', deps);
    const after = withOnlyKnownSources(before, ['192.0.2.2'], deps);
    expect(['192.0.2.1', '192.0.2.2'].map((key) => isKnownSource(after, key, deps))).toEqual([false, true]);
  });

  test('of logins is none of second factors, and a password change adds none to those', () => {
    const { deps } = createHarness();
    const [mfa, login] = ['192.0.2.1', '192.0.2.2'];
    const known = withKnownSource(withKnownSource(ann, login, deps), mfa, deps, 'mfaSources');
    const listMfa = (user: User) => [mfa, login].filter((key) => isKnownSource(user, key, deps, 'mfaSources'));
    expect(listMfa(known)).toEqual([mfa]);
    expect([mfa, login].filter((key) => isKnownSource(known, key, deps))).toEqual([login]);
    expect(listMfa(withOnlyKnownSources(known, [mfa, login], deps))).toEqual([mfa]);
    expect(withOnlyKnownSources(known, [login], deps)).not.toHaveProperty('mfaSources');
    expect(listMfa(withOnlyKnownSources(known, [login], deps, 'all'))).toEqual([mfa]);
    expect(withoutKnownSources(known)).toEqual(ann);
  });

  test('counts as seen now where its time is in the future, after the clock was set back', () => {
    const { clock, deps } = createHarness();
    const known = withKnownSource(ann, '192.0.2.1', deps);
    clock.advance(-100 * day);
    expect(isKnownSource(known, '192.0.2.1', deps)).toBe(true);
  });
});

describe('a caller', () => {
  const source = { key: '192.0.2.1' };
  const device = { deviceKey: 'd1', tokenHash: 't1' } as Device;
  const unknown = { isKnown: false, isKnownByMfa: false };
  const byMfa = { isKnown: true, isKnownByMfa: true };

  test('is known by a login or by a second factor of its address or its device', () => {
    const { deps } = createHarness();
    const find = (user: User, one?: Device) => findKnownCaller(user, source, one, deps);
    const own = { key: '192.0.2.1' };
    expect([find(ann), find(ann, device)]).toEqual([
      { ...own, ...unknown },
      { key: 'device d1', ...unknown },
    ]);
    const login = withKnownSource(ann, 'device d1', deps);
    expect(find(login, device)).toEqual({ key: 'device d1', isKnown: true, isKnownByMfa: false });
    const address = withKnownSource(ann, '192.0.2.1', deps, 'mfaSources');
    expect([find(address), find(address, device)]).toEqual([
      { ...own, ...byMfa },
      { ...own, ...byMfa },
    ]);
    const token = withKnownSource(ann, 'device token t1', deps, 'mfaSources');
    expect([find(token), find(token, device), findKnownCaller(undefined, source, device, deps)]).toEqual([
      { ...own, ...unknown },
      { key: 'device d1', ...byMfa },
      { key: 'device d1', ...unknown },
    ]);
  });
});

test('an authenticated device counts instead of the address', () => {
  const source = { address: '192.0.2.1', network: '192.0.2.1', key: '192.0.2.1', isLoopback: false };
  expect(callerKey(source, undefined)).toBe('192.0.2.1');
  expect(callerKey(source, { deviceKey: 'd1' } as Device)).toBe('device d1');
});

/**
 * Every operation that identifies a user does the same work for each class of callers: hashes, digests, encryptions,
 * reads and writes of each table. The operations come from the registry: an operation that identifies a user and has no
 * probe fails here. `npm run stress -- --only timing` measures the time.
 */
import { sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { operations } from '../../src/server/operations/index.ts';
import type { SeedDocument } from '../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../src/server/store/store.ts';
import { tables } from '../../src/server/store/tables.ts';
import { startServer, type TestServer } from '../harness.ts';
import { createAuthority, createCertificate } from '../server/federation/certificates.ts';
import { createTokens } from '../server/operations/user-identities/session-fixtures.ts';
import type { RawRequest, RawResponse } from '../server/property/raw-sender.ts';
import { appId, assertionOperations, type Probe, pathOf, probes, seed } from '../stress/timing/probes.ts';

const identifying = Object.values(operations as Record<string, Operation<never>>).filter(
  ({ identifies = [] }) => identifies.length > 0,
);

test('every operation that identifies a user has a probe', () => {
  const covered = new Set<string>([...probes.map(({ operation }) => operation), ...assertionOperations]);
  expect([...covered].sort()).toEqual(identifying.map(({ id }) => id).sort());
});

type Work = Record<string, number>;

const calls = ['get', 'getBy', 'find', 'list', 'insert', 'replace', 'delete'] as const;

/** The same tables with counted method calls. */
function counted<Tables extends object>(all: Tables, count: (what: string) => void): Tables {
  const names = Object.keys(tables) as (keyof Tables & string)[];
  const watched = names.map((name) => {
    const table = all[name] as Record<string, (...args: unknown[]) => unknown>;
    const counting = calls.map((call) => [
      call,
      (...args: unknown[]) => {
        count(`${call} ${name}`);
        return table[call]?.(...args);
      },
    ]);
    return [name, Object.assign(Object.create(table) as object, Object.fromEntries(counting))];
  });
  return { ...all, ...Object.fromEntries(watched) } as Tables;
}

function countedStore(store: Store, count: (what: string) => void): Store {
  const transaction: Store['transaction'] = (work) => {
    count('transaction');
    return store.transaction((tx) => work(counted(tx, count)));
  };
  return { ...counted(store, count), transaction };
}

/** Replaces the methods of an object with counting ones, so that earlier references count as well. */
function watch<Watched extends object>(
  object: Watched,
  names: readonly (keyof Watched & string)[],
  count: (what: string) => void,
): void {
  for (const name of names) {
    const before = object[name] as (...args: unknown[]) => unknown;
    const counting = (...args: unknown[]) => {
      count(name);
      return before(...args);
    };
    Object.assign(object, { [name]: counting });
  }
}

interface Watched extends AsyncDisposable {
  /** Restores the seed: each class starts with the same state. */
  reset(): Promise<void>;
  send(request: RawRequest): Promise<{ response: RawResponse; work: Work }>;
  /** The counted method calls of the request, and the rows that it added to each table. */
  workOf(probe: Probe, name: string): Promise<{ status: number; work: Work }>;
}

async function startWatched(unlimited: boolean, seeded: SeedDocument = seed): Promise<Watched> {
  let work: Work = {};
  const count = (what: string) => {
    work[what] = (work[what] ?? 0) + 1;
  };
  const server = await startServer({
    seed: seeded,
    environment: { IAM_APP_CLIENT_ID: appId },
    flags: { 'disable-rate-limits': unlimited },
    openStore: async () => countedStore(openMemoryStore(), count),
  });
  let accessToken = '';
  watch(server.appContext.passwords, ['hash', 'matches'], count);
  watch(server.appContext.storeSecret, ['digest', 'seal'], count);
  async function send(request: RawRequest) {
    const before = await rowsOf(server);
    work = {};
    const response = await server.send(request);
    const done = work;
    const after = await rowsOf(server);
    const grown = Object.keys(after).map((table) => [`rows of ${table}`, (after[table] ?? 0) - (before[table] ?? 0)]);
    return { response, work: { ...done, ...(Object.fromEntries(grown) as Work) } };
  }
  return {
    async reset() {
      await server.appContext.state.reset('seed');
      ({ accessToken } = await createTokens(server, { userId: 'erin', clientId: appId }));
    },
    send,
    async workOf({ request, classes, isSignedIn: signedIn }, name) {
      const identifier = classes[name];
      if (!identifier) throw new Error(`unknown class: ${name}`);
      const probeRequest = request(identifier);
      const headers = { ...probeRequest.headers, ...(signedIn ? { authorization: `Bearer ${accessToken}` } : {}) };
      const { body } = probeRequest;
      const { response, work } = await send({
        ...{ method: 'POST', path: pathOf(probeRequest), headers: Object.entries(headers), body },
      });
      return { status: response.status, work };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function rowsOf(server: TestServer): Promise<Work> {
  const all = Object.entries(await server.dump());
  return Object.fromEntries(all.map(([table, list]) => [table, (list as unknown[]).length]));
}

/** The outbox may differ: an unknown recipient gets no message. */
const allowed = ['rows of messages'];

function withoutAllowed({ status, work }: { status: number; work: Work }) {
  return { status, work: Object.fromEntries(Object.entries(work).filter(([what]) => !allowed.includes(what))) };
}

describe.each([false, true])('does the same work for every class (limits disabled: %s)', (unlimited) => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await startWatched(unlimited);
  });
  afterAll(() => watched[Symbol.asyncDispose]());

  test.each(probes.map((probe) => [probe.operation, probe.about, probe] as const))(
    'in %s (%s)',
    async (_operation, _about, probe) => {
      const seen: Record<string, unknown> = {};
      const names = Object.keys(probe.classes);
      for (const name of names) {
        await watched.reset();
        // Twice: the second request finds the codes and counts of the first one.
        const rounds = [await watched.workOf(probe, name), await watched.workOf(probe, name)];
        const statuses = rounds.map(({ status }) => status);
        expect(statuses, name).toEqual([probe.status, probe.status]);
        seen[name] = rounds.map(withoutAllowed);
      }
      const [first = ''] = names;
      expect(seen).toEqual(Object.fromEntries(names.map((name) => [name, seen[first]])));
    },
  );
});

describe('a certificate of a trusted authority', () => {
  const root = createAuthority({ name: 'Root', key: 'ec' });
  const leafOf = (email: string) =>
    createCertificate({
      ...{ name: 'Leaf', issuer: root, key: 'ec-other', authority: false, keyUsage: [0], purposes: [2] },
      emails: [email],
    });

  test('is rejected with the same work for a locked user and for an unknown one', async () => {
    const providers = [{ kind: 'certificateAuthority' as const, name: 'root', certificate: root.pem }];
    await using watched = await startWatched(false, { ...seed, providers });
    const seen = [];
    for (const email of ['bob@example.com', 'unknown@example.com']) {
      await watched.reset();
      const leaf = leafOf(email);
      const path = `${servicePrefix}/user-identities/digital-certificate`;
      const tokenResponse = await watched.send({ method: 'POST', path: `${path}/token?clientId=${appId}` });
      const { token } = tokenResponse.response.json as { token: string };
      const key = { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' } as const;
      const signature = sign('sha256', Buffer.from(token), key).toString('base64');
      const { response, work } = await watched.send({
        ...{ method: 'POST', path: `${path}/login?clientId=${appId}` },
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify({ token, certificate: leaf.pem, signature }),
      });
      seen.push({ status: response.status, body: response.json, work });
    }
    expect(seen[0]).toMatchObject({ status: 401, body: [{ code: 'PROOF_INVALID' }] });
    expect(seen[1]).toEqual(seen[0]);
  });
});

/** Steps the clock back and forth by days: sequences, ids and expiry stay correct, also over restarts. */

import { createClient, type IamClient } from '../../../src/client/index.ts';
import { readSettings } from '../../../src/server/config/settings.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { listen } from '../../../src/server/listen.ts';
import type { FileStore } from '../../../src/server/store/file/file-store.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { FakeMachine } from '../../server/store/fake-processes.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { LoadGenerator } from '../load-generator.ts';
import { seedClockBug, withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';

const HOUR = 3_600_000;
const steps = [-24 * HOUR, 24 * HOUR, -72 * HOUR, 72 * HOUR, -HOUR, HOUR, 1];
const credentials = { clientId: 'stress-admin', clientSecret: 'a-secret-for-stress-tests-only' };
const environment = {
  IAM_ADMIN_CLIENT_ID: credentials.clientId,
  IAM_ADMIN_CLIENT_SECRET: credentials.clientSecret,
  IAM_ADMIN_PASSWORD: 'correct horse battery staple',
};

export const clock: Suite = {
  name: 'clock',
  about: 'the clock steps back and forth by days: nothing is lost, ids stay unique, tokens expire',
  async run(budget) {
    const { findings, done } = await runRounds('clock', budget, (seed) => runScenario(seed, budget.seededBug));
    budget.log(`${done} services, each with restarts and steps of the clock`);
    return findings;
  },
};

async function runScenario(seed: number, seededBug: string | undefined): Promise<void> {
  const random = createSeededRandom(seed);
  const scenario = new ClockScenario(seededBug);
  for (let starts = 0; starts < 3; starts += 1) {
    await scenario.start(async (client, url) => {
      for (let turn = 0; turn < 3; turn += 1) {
        await scenario.write(client);
        if (random() < 0.5) await scenario.store?.checkpoint();
        const token = await login(client);
        scenario.now += steps[between(random, 0, steps.length)] as number;
        await scenario.write(client);
        await assertExpiry(url, token, scenario.now);
      }
    });
    scenario.disk = scenario.disk.afterCrash({ random });
    scenario.now += steps[between(random, 0, steps.length)] as number;
  }
  await scenario.start(async (client) => scenario.load.assertExact(client));
}

class ClockScenario {
  readonly #seededBug: string | undefined;
  readonly #machine = new FakeMachine();
  readonly #ids = new Set<string>();
  readonly load = new LoadGenerator(2);
  disk = new FakeDisk();
  store: FileStore | undefined;
  now = Date.parse('2024-05-01T12:00:00.000Z');

  constructor(seededBug: string | undefined) {
    this.#seededBug = seededBug;
  }

  /** Runs a server during `work`, and then crashes it without closing its store. */
  async start(work: (client: IamClient, url: string) => Promise<void>): Promise<void> {
    const now = () => new Date(this.now);
    const process = this.#machine.start();
    const disk = this.disk;
    const service = await listen({
      settings: readSettings({ port: '0', 'fast-passwords': true }, environment),
      clock: seedClockBug({ now }, this.#seededBug),
      random: systemRandom,
      log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, infoEnabled: false },
      openStore: async () => {
        const options = { disk: withSeededBug(disk, this.#seededBug), processes: process, clock: { now } };
        this.store = await openStore('/store', options);
        return this.store;
      },
    });
    const client = createClient({ baseUrl: service.url, credentials });
    try {
      await this.load.resume(client);
      await work(client, service.url);
    } finally {
      await client.close();
      // The crash comes first, so that writes of the stop cannot hide a loss.
      this.disk = disk.afterCrash('nothing');
      process.kill();
      await service.stop();
    }
  }

  async write(client: IamClient): Promise<void> {
    const enough = this.load.acknowledged + 12;
    // Earlier tokens may have expired; this client logs in first.
    await this.load.run(client, () => this.load.acknowledged >= enough);
    const { groupId } = await client.groups.create({ body: { groupName: `id-${this.#ids.size}` } });
    if (this.#ids.has(groupId)) throw new Error(`the id ${groupId} was assigned twice`);
    this.#ids.add(groupId);
  }
}

interface Token {
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

async function login(client: IamClient): Promise<Token> {
  const { body } = await client.call('client-identities.login', { body: {} });
  const text = (body as { accessToken: string }).accessToken;
  const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
  return { text, expiresAt: claims.exp * 1000 };
}

async function assertExpiry(url: string, { text, expiresAt }: Token, now: number): Promise<void> {
  const headers = { authorization: `Bearer ${text}` };
  const { status } = await fetch(`${url}/security/iam/v1/groups?limit=1`, { headers });
  const isFresh = now < expiresAt;
  if (isFresh ? status >= 500 : status !== 401)
    throw new Error(`a token that expires in ${expiresAt - now} ms returned ${status}`);
}

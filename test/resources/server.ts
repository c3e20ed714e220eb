/**
 * The global setup of all tests. It starts what test files share when the first of them requests it, and stops it after
 * the run: a run that needs no browser starts none.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import type { Chromium } from '../../packages/console/test/find-chromium.ts';
import type { PackedPackage } from '../e2e/package/provide-package.ts';

/** What the tests can request. */
export interface Resources {
  /** The URL of a PostgreSQL database in which tests may create schemas. */
  readonly database: string;
  /** Undefined if no browser starts, and the tests of the console are skipped. */
  readonly chromium: Chromium | undefined;
  readonly package: PackedPackage;
}

export interface Started<Value> {
  readonly value: Value;
  stop(): Promise<void>;
}

type Starters = { readonly [Name in keyof Resources]: () => Promise<Started<Resources[Name]>> };

const starters: Starters = {
  database: async () => (await import('./provide-database.ts')).provideDatabase(),
  chromium: async () => (await import('../../packages/console/test/provide-chromium.ts')).provideChromium(),
  package: async () => (await import('../e2e/package/provide-package.ts')).providePackage(),
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the processes of the tests request a resource by name. */
    resourcesUrl: string;
  }
}

/** @returns the cleanup */
export default async function serveResources({ provide }: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Started<unknown>>>();
  let last: Promise<unknown> = Promise.resolve();
  const start = async (name: string): Promise<unknown> => {
    // One after another: the package of Chromium changes TMPDIR of this process while it starts.
    const running =
      started.get(name) ?? last.then((): Promise<Started<unknown>> => starters[name as keyof Resources]());
    started.set(name, running);
    last = running.catch(() => undefined);
    return (await running).value;
  };
  const server = createServer((request, response) => {
    start((request.url ?? '').slice(1)).then(
      (value) => send(response, 200, JSON.stringify({ value })),
      (error: unknown) => send(response, 500, String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  provide('resourcesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    const running = await Promise.allSettled(started.values());
    await Promise.all(running.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
  };
}

/** Without keep-alive, so that the processes of the tests hold no connection. */
function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { connection: 'close' }).end(body);
}

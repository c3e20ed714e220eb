/** A real server with users, and the CLI connected to it. */
import { readFile, writeFile } from 'node:fs/promises';
import { test as base } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { type CliResult, Home, type RunOptions } from '../run-cli.ts';

const seed: SeedDocument = {
  businesses: [
    { businessId: 'b1', businessName: 'One', document: '1' },
    { businessId: 'b2', businessName: 'Two', document: '2' },
  ],
  users: [
    { userId: 'u1', userName: 'anna', businessId: 'b1' },
    { userId: 'u2', userName: 'bert' },
    { userId: 'u3', userName: 'cleo', businessId: 'b2' },
  ],
};

export interface PlanFixture extends AsyncDisposable {
  readonly server: TestServer;
  readonly home: Home;
  /** Runs the command as the administrator client; with `url` against another address. */
  iam(words: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Writes a document and returns its path. */
  write(name: string, text: string): Promise<string>;
  read(name: string): Promise<string>;
}

export const administrator = {
  IAM_CLIENT_ID: adminClient.clientId,
  IAM_CLIENT_SECRET: adminClient.clientSecret,
};

export async function startPlanFixture(
  more: SeedDocument = {},
  flags: Record<string, string | boolean> = {},
): Promise<PlanFixture> {
  const server = await startServer({ seed: { ...seed, ...more }, flags });
  const home = await Home.make();
  const variables = { ...administrator, XDG_STATE_HOME: home.file('state') };
  return {
    server,
    home,
    iam: (words, options = {}) =>
      home.iam(words, { url: server.url, ...options, variables: { ...variables, ...options.variables } }),
    write: async (name, text) => {
      await writeFile(home.file(name), text);
      return home.file(name);
    },
    read: (name) => readFile(home.file(name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** A test that requests `fixture` has one of its own. */
export const test = base.extend<{ fixture: PlanFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of what it needs from a pattern
  fixture: async ({}, use) => {
    await using fixture = await startPlanFixture();
    await use(fixture);
  },
});

/** Dumps the store without volatile values. */
export async function dumpDirectory(server: TestServer): Promise<Record<string, unknown>> {
  const { groups, memberships, clients, apiKeys, corporateGroups, customers, businesses, users } = await server.dump();
  return { groups, memberships, clients, apiKeys, corporateGroups, customers, businesses, users };
}

/** Provides a PostgreSQL to the tests: the one of IAM_TEST_DATABASE_URL, or one that is started for them. */
import process from 'node:process';
import { startCluster } from '../postgres/cluster.ts';
import type { Started } from './server.ts';

export async function provideDatabase(): Promise<Started<string>> {
  const { IAM_TEST_DATABASE_URL: configured = '' } = process.env;
  if (configured !== '') return { value: configured, stop: async () => undefined };
  const cluster = await startCluster();
  return { value: cluster.url, stop: () => cluster.stop() };
}

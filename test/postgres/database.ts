/** Provides a PostgreSQL to the tests: the one of IAM_TEST_DATABASE_URL, or one that is started for them. */
import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database in which the tests may create schemas. */
    databaseUrl: string;
  }
}

/** The global setup of the tests. */
export default async function provideDatabase(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { IAM_TEST_DATABASE_URL: configured = '' } = process.env;
  if (configured !== '') {
    project.provide('databaseUrl', configured);
    return undefined;
  }
  const cluster = await startCluster();
  project.provide('databaseUrl', cluster.url);
  return () => cluster.stop();
}

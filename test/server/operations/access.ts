/** One server for tests that change nothing, and the errors of requests. */
import { afterAll, beforeAll } from 'vitest';
import { ClientError } from '../../../src/client/index.ts';
import { startServer, type TestServer } from '../../harness.ts';

/** Returns the error that a request failed with. */
export async function catchClientError(request: Promise<unknown>): Promise<ClientError> {
  const outcome = await request.then(
    () => 'success',
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw new Error('expected the request to fail, but it succeeded', { cause: outcome });
}

/** Starts one server for the tests of a file, or of a describe block, that do not change the store. */
export function sharedServer(start: () => Promise<TestServer> = startServer): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());
  return () => {
    if (!server) throw new Error('the shared server runs only between beforeAll and afterAll');
    return server;
  };
}

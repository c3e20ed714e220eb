/** Access tests shared by all operations. Each operation's test file calls `testAccess`. */
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

/** Starts one server for the tests of a file that do not change the store. */
export function sharedServer(): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());
  return () => {
    if (!server) throw new Error('the shared server runs only between beforeAll and afterAll');
    return server;
  };
}

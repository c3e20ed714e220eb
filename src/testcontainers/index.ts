/**
 * `iam-standin/testcontainers`: runs the service in a container for a test, with the package testcontainers, version 11 or
 * newer. It takes the container from the caller and so imports nothing of that package.
 */
import { createClient, type IamClient } from '../client/index.ts';
import { pause } from '../lib/host.ts';
import { systemFetch } from '../server/lib/outgoing-fetch.ts';
import { generateSecret, systemRandom } from '../server/lib/random.ts';
import { freePort } from './free-port.ts';

/** What is used of `GenericContainer`. */
export interface ContainerBuilder {
  withEnvironment(variables: Record<string, string>): this;
  withExposedPorts(...ports: { container: number; host: number }[]): this;
  start(): Promise<StartedContainer>;
}

/** What is used of `StartedTestContainer`. */
export interface StartedContainer {
  stop(): Promise<unknown>;
}

export interface ContainerOptions {
  /** Host name of the machine of the container engine, as tests reach it. Default: localhost. */
  readonly host?: string | undefined;
  /** Port on that machine. Default: one that is free on this machine. */
  readonly port?: number | undefined;
  /** More variables, such as `IAM_SERVE_FAST_PASSWORDS`. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds until the service must accept requests after the start of the container. Default: 60,000. */
  readonly timeout?: number | undefined;
}

/** A service in a container. */
export interface IamContainer extends AsyncDisposable {
  /** Base URL of the service, which is also the issuer of its tokens. */
  readonly url: string;
  /** The administrator client. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Signed in as the administrator client. */
  readonly client: IamClient;
  readonly container: StartedContainer;
  /** Closes the client and stops the container. */
  stop(): Promise<void>;
}

/** The port of the service in its image. */
const servicePort = 8080;
const defaultTimeout = 60_000;
const clientId = 'testcontainers';

/**
 * Starts the service in a container of its image and resolves when it accepts requests. The port on the host is chosen
 * before the start, because tokens contain the base URL.
 * @throws Error if it does not accept requests in time, after stopping the container; errors of the container
 */
export async function startIamContainer(
  builder: ContainerBuilder,
  { host = 'localhost', port, environment = {}, timeout = defaultTimeout }: ContainerOptions = {},
): Promise<IamContainer> {
  const hostPort = port ?? (await freePort());
  const url = `http://${host}:${hostPort}`;
  const clientSecret = generateSecret(systemRandom);
  const container = await builder
    .withExposedPorts({ container: servicePort, host: hostPort })
    .withEnvironment({
      // Tests create users with ids of their choice.
      IAM_SERVE_CHOSEN_IDS: 'all',
      ...environment,
      IAM_SERVE_BASE_URL: url,
      IAM_ADMIN_CLIENT_ID: clientId,
      IAM_ADMIN_CLIENT_SECRET: clientSecret,
    })
    .start();
  const isReady = await waitUntilReady(url, AbortSignal.timeout(timeout));
  if (!isReady) {
    await container.stop();
    throw new Error(`the service in the container did not accept requests at ${url} within ${timeout} ms`);
  }
  const client = createClient({ baseUrl: url, credentials: { clientId, clientSecret } });
  const stop = async () => {
    try {
      await container.stop();
    } finally {
      // After the container: an open event stream would never end.
      await client.close();
    }
  };
  return { url, clientId, clientSecret, client, container, stop, [Symbol.asyncDispose]: stop };
}

const pollMs = 100;

/** @returns whether the service was ready before the signal */
async function waitUntilReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const response = await systemFetch(`${url}/readyz`, { headers: {}, signal }).catch(() => undefined);
    await response?.body.dump().catch(() => undefined);
    if (response?.statusCode === 200) return true;
    await pause(pollMs);
  }
  return false;
}

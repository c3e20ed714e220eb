/**
 * `iam-standin/testcontainers` with a container that is a process of the source: the image and an engine are missing, the port
 * and the variables are those that a container gets.
 */
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../src/testcontainers/free-port.ts';
import { type ContainerBuilder, type StartedContainer, startIamContainer } from '../../src/testcontainers/index.ts';
import { startServer } from '../../src/testing/index.ts';

/** Records what a container would get, and runs the service on the host's port. */
class FakeContainer implements ContainerBuilder {
  variables: Record<string, string> = {};
  ports: { container: number; host: number }[] = [];
  stops = 0;

  withEnvironment(variables: Record<string, string>): this {
    this.variables = variables;
    return this;
  }

  withExposedPorts(...ports: { container: number; host: number }[]): this {
    this.ports = ports;
    return this;
  }

  async start(): Promise<StartedContainer> {
    const { IAM_ADMIN_CLIENT_ID = '', IAM_ADMIN_CLIENT_SECRET = '', IAM_SERVE_BASE_URL = '' } = this.variables;
    const server = await startServer({
      port: this.ports[0]?.host,
      credentials: { adminClientId: IAM_ADMIN_CLIENT_ID, adminClientSecret: IAM_ADMIN_CLIENT_SECRET },
      settings: { 'base-url': IAM_SERVE_BASE_URL },
    });
    return {
      stop: async () => {
        this.stops += 1;
        await server.stop();
      },
    };
  }
}

describe('startIamContainer', () => {
  test('exposes the port of the image on a free one, which is in the issuer of tokens', async () => {
    const builder = new FakeContainer();
    await using iam = await startIamContainer(builder, { environment: { IAM_SERVE_FAST_PASSWORDS: 'true' } });
    const [{ container, host } = { container: 0, host: 0 }, ...others] = builder.ports;
    expect([container, others]).toEqual([8080, []]);
    expect(iam.url).toBe(`http://localhost:${host}`);
    expect(builder.variables).toMatchObject({ IAM_SERVE_FAST_PASSWORDS: 'true', IAM_SERVE_BASE_URL: iam.url });
    const { issuer } = (await (await fetch(`${iam.url}/.well-known/openid-configuration`)).json()) as {
      issuer: string;
    };
    expect(issuer).toBe(iam.url);
  });

  test('has a client with the generated secret of the administrator', async () => {
    const builder = new FakeContainer();
    await using iam = await startIamContainer(builder);
    await iam.client.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
    expect(iam.clientSecret.length).toBeGreaterThan(40);
    await using other = await startIamContainer(new FakeContainer());
    expect(other.clientSecret).not.toBe(iam.clientSecret);
  });

  test('stops the container', async () => {
    const builder = new FakeContainer();
    const iam = await startIamContainer(builder, { port: await freePort() });
    await iam.stop();
    expect(builder.stops).toBe(1);
    await expect(fetch(`${iam.url}/readyz`)).rejects.toThrow();
  });

  test('stops the container while a stream of events is open', async () => {
    const builder = new FakeContainer();
    const iam = await startIamContainer(builder);
    const events = iam.client.events('/_iam/events');
    const reading = events.next();
    await iam.client.groups.list();
    await reading;
    await iam.stop();
    expect(builder.stops).toBe(1);
    await events.return();
  });

  test('stops a container that is not ready in time, and says where it was expected', async () => {
    const busy = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const port = (busy.address() as { port: number }).port;
    let stops = 0;
    const builder: ContainerBuilder = {
      withEnvironment: () => builder,
      withExposedPorts: () => builder,
      start: async () => ({ stop: async () => (stops += 1) }),
    };
    const starting = startIamContainer(builder, { host: '127.0.0.1', port, timeout: 50 });
    await expect(starting).rejects.toThrow(`did not accept requests at http://127.0.0.1:${port} within 50 ms`);
    expect(stops).toBe(1);
    await new Promise((resolve) => busy.close(resolve));
  });
});

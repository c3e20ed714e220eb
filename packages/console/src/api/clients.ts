/** The HTTP clients of the console: of the control plane, and of the interface. Their types come from the API documents. */
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths as ControlPaths } from '#control-api';
import type { paths as ServicePaths } from '#service-api';
import { consoleRequester, controlPrefix, servicePrefix } from '../../../../src/contract/prefix.ts';
import type { Connection } from './connection.ts';
import type { CredentialStore } from './credentials.ts';
import type { ConsoleLocation } from './location.ts';
import type { ServiceTokens } from './service-token.ts';

export type ControlClient = Client<ControlPaths>;
export type ServiceClient = Client<ServicePaths>;

/** What a route of the control plane returns for a GET. */
export type ControlData<Path extends keyof ControlPaths> = ControlPaths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Data } } } };
}
  ? Data
  : never;

export const consoleRequestOptions = {
  /** The server accepts changes by a browser only with a header that forms cannot send, and counts no reads of the console. */
  headers: { 'X-Requested-With': consoleRequester },
  /** Without it, browsers answer a Basic challenge themselves: with a prompt, or with what was typed into one. */
  credentials: 'omit',
} as const;

/**
 * The control plane of the service that the console shows.
 * @param fetch of the connection
 * @param untilReadable of the live events
 */
export function createControlClient(
  { basePath }: ConsoleLocation,
  credentials: CredentialStore,
  fetch: (request: Request) => Promise<Response>,
  untilReadable: (path: string) => Promise<void>,
): ControlClient {
  const client = createClient<ControlPaths>({
    ...consoleRequestOptions,
    baseUrl: `${basePath}${controlPrefix}`,
    fetch,
  });
  client.use(
    authorize(async () => credentials.get()?.accessToken),
    {
      async onRequest({ request, schemaPath }) {
        if (request.method === 'GET') await untilReadable(schemaPath);
        return undefined;
      },
      onResponse({ request, response }) {
        if (response.status === 401) credentials.requireLogin(tokenOf(request));
      },
    },
  );
  return client;
}

/** The control plane of the server that the service is a sandbox of. It rejects the tokens and logins of its sandboxes. */
export function createServerControlClient({ serverPath }: ConsoleLocation): ControlClient {
  return createClient<ControlPaths>({ ...consoleRequestOptions, baseUrl: `${serverPath}${controlPrefix}` });
}

/** The operations of the interface, without credentials: each request has its own. */
export function createLoginClient({ basePath }: ConsoleLocation, { fetch }: Connection): ServiceClient {
  return createClient<ServicePaths>({ ...consoleRequestOptions, baseUrl: `${basePath}${servicePrefix}`, fetch });
}

/** The operations of the interface. */
export function createServiceClient(
  { basePath }: ConsoleLocation,
  tokens: ServiceTokens,
  { send, sendOrWait }: Connection,
): ServiceClient {
  return createClient<ServicePaths>({
    ...consoleRequestOptions,
    baseUrl: `${basePath}${servicePrefix}`,
    fetch: (request) =>
      sendOrWait(request, (once) =>
        tokens.send(
          (token) => {
            const authorized = once.clone();
            if (token !== undefined) authorized.headers.set('Authorization', `Bearer ${token}`);
            return send(authorized);
          },
          ({ status }) => status === 401,
        ),
      ),
  });
}

/** The access token that a request was sent with. */
function tokenOf(request: Request): string | undefined {
  return request.headers.get('Authorization')?.replace(/^Bearer /, '');
}

function authorize(getToken: () => Promise<string | undefined>): Middleware {
  return {
    async onRequest({ request }) {
      // A request about a token has the token itself.
      const token = request.headers.has('Authorization') ? undefined : await getToken();
      if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
      return request;
    },
  };
}

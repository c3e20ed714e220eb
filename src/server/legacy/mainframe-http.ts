/** Adapter for a real mainframe over HTTP; docs/decisions/0005-integrations.md specifies the protocol. */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { Mobile } from '../../contract/schemas/contact.ts';
import { LogonName } from '../../contract/schemas/legacy.ts';
import type { Settings } from '../config/settings.ts';
import {
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  IntegrationUnavailableError,
  toUnavailableError,
} from '../lib/http-client.ts';
import type { Log } from '../lib/log.ts';
import type { Mainframe } from './mainframe.ts';

const Contacts = z.object({ email: z.string().optional(), mobile: Mobile.optional() });

interface Deps {
  readonly settings: Pick<Settings, 'portTimeout'>;
  readonly log: Log;
}

export function createHttpMainframe(baseUrl: string, { settings, log }: Deps): Mainframe {
  const http = createHttpClient({ baseUrl, timeoutMs: settings.portTimeout });
  const callMainframe = <Result>(request: HttpRequest, read: (response: HttpResponse) => Result) =>
    http
      .request(request)
      .then(read)
      .catch((error: unknown) => {
        throw toUnavailableError(error, 'MAINFRAME_UNAVAILABLE', log);
      });
  return {
    async verify(logon, password) {
      // Login input is arbitrary: a name that is not a valid logon, such as `..`, is not sent.
      if (!LogonName.safeParse(logon).success) return false;
      return callMainframe(
        { method: 'POST', path: `${formatPath(logon)}/verification`, body: { password } },
        ({ status }) => interpretStatus(status, { 204: true, 401: false, 404: false }),
      );
    },
    find: (logon) =>
      callMainframe({ method: 'GET', path: formatPath(logon) }, ({ status, json }) =>
        interpretStatus(status, { 200: true, 404: false }) ? readContacts(json) : undefined,
      ),
    create: (logon) =>
      callMainframe({ method: 'POST', path: '/logons', body: logon }, ({ status }) =>
        interpretStatus(assertPasswordAccepted(status), { 201: true, 409: false }),
      ),
    setPassword: (logon, password) =>
      callMainframe({ method: 'PUT', path: `${formatPath(logon)}/password`, body: { password } }, ({ status }) =>
        interpretStatus(assertPasswordAccepted(status), { 204: true, 404: false }),
      ),
    remove: (logon) =>
      callMainframe({ method: 'DELETE', path: formatPath(logon) }, ({ status }) => {
        interpretStatus(status, { 204: true, 404: false });
      }),
  };
}

function formatPath(logon: string): string {
  return `/logons/${encodeURIComponent(logon)}`;
}

/** Interprets a status. @throws IntegrationUnavailableError if the protocol does not specify it. */
function interpretStatus(status: number, meanings: Readonly<Record<number, boolean>>): boolean {
  const meaning = meanings[status];
  if (meaning === undefined) throw new IntegrationUnavailableError(`the response has status ${status}`);
  return meaning;
}

/** The mainframe may have stricter password rules than the setting. */
function assertPasswordAccepted(status: number): number {
  if (status === 422) throw apiError('PASSWORD_NOT_FOR_MAINFRAME');
  return status;
}

function readContacts(json: unknown) {
  const contacts = Contacts.safeParse(json);
  if (!contacts.success) throw new IntegrationUnavailableError('the response is not a logon');
  return contacts.data;
}

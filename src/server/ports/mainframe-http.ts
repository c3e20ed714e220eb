/** A real mainframe over HTTP; docs/decisions/0005-ports.md has the protocol. */
import * as z from 'zod';
import { fault } from '../../contract/errors.ts';
import { LogonName } from '../../contract/legacy-schemas.ts';
import { Mobile } from '../../contract/schemas.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { createHttpSystem, type HttpAnswer, type HttpCall, OutOfReach, unavailable } from './http.ts';
import type { Mainframe } from './mainframe.ts';

const Contacts = z.object({ email: z.string().optional(), mobile: Mobile.optional() });

interface Parts {
  readonly settings: Pick<Settings, 'portTimeout'>;
  readonly log: Log;
}

export function createHttpMainframe(baseUrl: string, { settings, log }: Parts): Mainframe {
  const system = createHttpSystem({ baseUrl, timeoutMs: settings.portTimeout });
  const ask = <Result>(call: HttpCall, read: (answer: HttpAnswer) => Result) =>
    system
      .call(call)
      .then(read)
      .catch((error: unknown) => {
        throw unavailable(error, 'MAINFRAME_UNAVAILABLE', log);
      });
  return {
    async verify(logon, password) {
      // Whoever logs in types what he likes: what can be no logon is not sent, `..` least of all.
      if (!LogonName.safeParse(logon).success) return false;
      return ask({ method: 'POST', path: `${pathOf(logon)}/verification`, body: { password } }, ({ status }) =>
        outcome(status, { 204: true, 401: false, 404: false }),
      );
    },
    find: (logon) =>
      ask({ method: 'GET', path: pathOf(logon) }, ({ status, json }) =>
        outcome(status, { 200: true, 404: false }) ? readContacts(json) : undefined,
      ),
    create: (logon) =>
      ask({ method: 'POST', path: '/logons', body: logon }, ({ status }) =>
        outcome(passwordTaken(status), { 201: true, 409: false }),
      ),
    setPassword: (logon, password) =>
      ask({ method: 'PUT', path: `${pathOf(logon)}/password`, body: { password } }, ({ status }) =>
        outcome(passwordTaken(status), { 204: true, 404: false }),
      ),
    remove: (logon) =>
      ask({ method: 'DELETE', path: pathOf(logon) }, ({ status }) => {
        outcome(status, { 204: true, 404: false });
      }),
  };
}

function pathOf(logon: string): string {
  return `/logons/${encodeURIComponent(logon)}`;
}

/** What a status stands for. One that the protocol does not have is no answer. */
function outcome(status: number, meanings: Readonly<Record<number, boolean>>): boolean {
  const meaning = meanings[status];
  if (meaning === undefined) throw new OutOfReach(`the answer has the status ${status}`);
  return meaning;
}

/** The mainframe may be stricter with passwords than the setting says. */
function passwordTaken(status: number): number {
  if (status === 422) throw fault('PASSWORD_NOT_FOR_MAINFRAME');
  return status;
}

function readContacts(json: unknown) {
  const contacts = Contacts.safeParse(json);
  if (!contacts.success) throw new OutOfReach('the answer is no logon');
  return contacts.data;
}

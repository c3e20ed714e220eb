/** GET /_iam/sessions */
import * as z from 'zod';
import { Id, PageQuery } from '../../../contract/schemas.ts';
import { epochSeconds } from '../../clock.ts';
import { readFilteredPage } from '../../identity/pagination.ts';
import { computeLevel, isRenewable } from '../../identity/sessions.ts';
import type { Range, Reader } from '../../store/store.ts';
import type { Session } from '../../store/tables.ts';
import { defineRoute } from '../define.ts';

const SessionItem = z.strictObject({
  sessionId: z.string(),
  userId: z.string().optional(),
  logon: z.string().optional().describe('The mainframe logon that it began with'),
  clientId: z.string(),
  level: z.string().describe('The level of proof that it has now'),
  smart: z.boolean(),
  remember: z.boolean(),
  device: z
    .strictObject({ deviceId: z.string(), deviceName: z.string().optional() })
    .optional()
    .describe('The device that renews it, where it is bound to one'),
  startedAt: z.string(),
  endsAt: z.string(),
  renewable: z.boolean().describe('It has a refresh token that is still taken'),
});

export default defineRoute({
  capability: 'read',
  id: 'control.sessions',
  title: 'Lists sessions',
  description: 'Sessions that last, in the order of their ids, without anything of their tokens.',
  method: 'GET',
  path: '/sessions',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      userId: Id.optional().describe('Only sessions of this user'),
      clientId: Id.optional().describe('Only sessions through this client'),
    },
  },
  response: { page: SessionItem },
  errors: [],

  async handle({ query: { userId, clientId } }, { store, clock, range }) {
    const now = epochSeconds(clock);
    const page = await readFilteredPage(
      range,
      (part) => listCandidates(store, { userId, clientId }, part),
      ({ sessionId }) => sessionId,
      (session) => session.endsAt > now && (clientId === undefined || session.clientId === clientId),
    );
    return { ...page, items: await Promise.all(page.items.map((session) => toSessionItem(store, session, now))) };
  },
});

interface Filters {
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
}

function listCandidates(store: Reader, { userId, clientId }: Filters, part: Range): Promise<readonly Session[]> {
  if (userId !== undefined) return store.sessions.find('userId', userId, part);
  return clientId === undefined ? store.sessions.list(part) : store.sessions.find('clientId', clientId, part);
}

async function toSessionItem(store: Reader, session: Session, now: number): Promise<z.input<typeof SessionItem>> {
  const { sessionId, userId, logon, clientId, smart, remember, deviceKey, startedAt, endsAt } = session;
  const device = deviceKey === undefined ? undefined : await store.devices.get(deviceKey);
  return {
    sessionId,
    ...(userId === undefined ? {} : { userId }),
    ...(logon === undefined ? {} : { logon }),
    clientId,
    level: computeLevel(session, now),
    smart,
    remember,
    ...(device === undefined ? {} : { device: { deviceId: device.deviceId, deviceName: device.deviceName } }),
    startedAt: formatInstant(startedAt),
    endsAt: formatInstant(endsAt),
    renewable: await isRenewable(store, session, now),
  };
}

function formatInstant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

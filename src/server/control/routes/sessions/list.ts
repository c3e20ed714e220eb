/** GET /_iam/sessions */
import * as z from 'zod';
import { Id, PageQuery } from '../../../../contract/schemas/primitives.ts';
import { computeLevel } from '../../../directory/user-roles.ts';
import { epochSeconds } from '../../../lib/clock.ts';
import { isRenewable } from '../../../sessions/refresh-tokens.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Range, Reader } from '../../../store/store.ts';
import type { Session } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

const SessionItem = z.strictObject({
  sessionId: z.string().meta({ examples: ['64b0c0ffee00000000000003'] }),
  userId: z
    .string()
    .optional()
    .meta({ examples: ['alice'] }),
  logon: z
    .string()
    .optional()
    .meta({ description: 'Mainframe logon that started the session', examples: ['ALICE01'] }),
  clientId: z.string().meta({ examples: ['billing-service'] }),
  level: z.string().meta({ description: 'Current authentication level', examples: ['AUTH-BASIC'] }),
  smart: z.boolean(),
  remember: z.boolean(),
  device: z
    .strictObject({
      deviceId: z.string().meta({ examples: ['pixel-of-alice'] }),
      deviceName: z
        .string()
        .optional()
        .meta({ examples: ["Alice's phone"] }),
    })
    .optional()
    .describe('Device that the session is bound to, which can renew it'),
  startedAt: z.string().meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  endsAt: z.string().meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  renewable: z.boolean().describe('Whether it has a valid refresh token'),
});

export default defineRoute({
  capability: 'read',
  id: 'control.sessions',
  title: 'List sessions',
  description: 'Active sessions, sorted by id, without their tokens.',
  method: 'GET',
  path: '/sessions',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      userId: Id.optional().meta({ description: 'Only sessions of this user', examples: ['alice'] }),
      clientId: Id.optional().meta({ description: 'Only sessions of this client', examples: ['billing-service'] }),
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

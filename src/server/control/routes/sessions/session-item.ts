/** A session in responses of the control plane. */

import * as z from 'zod';
import { exampleText, optionalText } from '../../../../contract/schemas/primitives.ts';
import { computeLevel } from '../../../directory/authentication-levels.ts';
import { findSessionToken } from '../../../sessions/refresh-tokens.ts';
import type { Reader } from '../../../store/store.ts';
import type { Session } from '../../../store/tables.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';

export const SessionItem = z.strictObject({
  sessionId: exampleText('64b0c0ffee00000000000003'),
  userId: optionalText('alice'),
  ...nameFieldsOf('userId', 'clientId'),
  kind: z.enum(['browser', 'application', 'direct']).meta({
    description:
      'Of a browser that a user logged in with; of an application that it led to, or of a device; else of a login or a client without a browser',
    examples: ['direct'],
  }),
  logon: optionalText('ALICE01', 'Mainframe logon that started the session'),
  clientId: exampleText('billing-service'),
  level: exampleText('AUTH-BASIC', 'Current authentication level'),
  smart: z.boolean(),
  remember: z.boolean(),
  device: z
    .strictObject({
      deviceId: exampleText('pixel-of-alice'),
      deviceName: optionalText("Alice's phone"),
    })
    .optional()
    .describe('Device that the session is bound to, which can renew it'),
  startedAt: exampleText('2026-03-01T12:00:00.000Z'),
  endsAt: exampleText('2026-03-01T12:00:00.000Z'),
  renewable: z.boolean().describe('Whether it has a valid refresh token'),
});

/** Sessions with the names of their users and clients. @param now epoch seconds. */
export async function toSessionItems(store: Reader, sessions: readonly Session[], now: number) {
  const items = await Promise.all(sessions.map((session) => toSessionItem(store, session, now)));
  return addNames(store, items, 'userId', 'clientId');
}

async function toSessionItem(store: Reader, session: Session, now: number): Promise<z.input<typeof SessionItem>> {
  const { sessionId, userId, logon, clientId, smart, remember, deviceKey, startedAt, endsAt } = session;
  const device = deviceKey === undefined ? undefined : await store.devices.get(deviceKey);
  return {
    sessionId,
    ...(userId === undefined ? {} : { userId }),
    ...(logon === undefined ? {} : { logon }),
    clientId,
    kind: session.browser ? 'browser' : session.openid ? 'application' : 'direct',
    level: computeLevel(session, now),
    smart,
    remember,
    ...(device === undefined ? {} : { device: { deviceId: device.deviceId, deviceName: device.deviceName } }),
    startedAt: formatInstant(startedAt),
    endsAt: formatInstant(endsAt),
    renewable: (await findSessionToken(store, session, now)) !== undefined,
  };
}

function formatInstant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A session in responses of the control plane. */
import * as z from 'zod';
import { computeLevel } from '../../../directory/authentication-levels.ts';
import { isRenewable } from '../../../sessions/refresh-tokens.ts';
import type { Reader } from '../../../store/store.ts';
import type { Session } from '../../../store/tables.ts';

export const SessionItem = z.strictObject({
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

/** @param now epoch seconds. */
export async function toSessionItem(
  store: Reader,
  session: Session,
  now: number,
): Promise<z.input<typeof SessionItem>> {
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

import * as z from 'zod';
import { singleLine } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { associateDevice, hasManyNewDevices } from '../../identity/devices.ts';
import { callerKey, withKnownSource } from '../../identity/known-sources.ts';
import { revalidateUserCaller } from '../../identity/revalidate-caller.ts';
import { bindToDevice } from '../../identity/sessions.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    deviceId: singleLine(200, 'What the device calls itself'),
    deviceVersion: z.enum(['V1', 'V2']).optional(),
    deviceName: singleLine(200, 'What the user calls it').optional(),
  })
  .meta({ id: 'DeviceInput' });

const DeviceToken = z
  .strictObject({
    deviceTokenId: sensitive(z.string(), 'one-time').describe('What the device shows to remember-me; shown this once'),
  })
  .meta({ id: 'DeviceToken' });

export default defineOperation({
  id: 'user-identities.associate-device',
  title: 'User associate-user-device',
  description:
    'Associates a device with the user, and binds the calling session to it: its refresh tokens are taken by remember-me together with the deviceTokenId only. A device that is associated already keeps its binding and gets a new deviceTokenId; the old one is no longer taken. A user has 50 devices at most: one more takes the place of the one that was associated longest ago. Of those associated within one hour five are known devices at once, and others once the user has logged in with them.',
  method: 'POST',
  path: '/user-identities/me/associate-user-device',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'administration', targets: { body: ['deviceId', 'deviceName'] } },
  status: [201, 400, 401, 403, 500],
  request: { body: Body },
  response: { status: 201, body: DeviceToken, secret: true },
  errors: ['USER_MISSING'],

  async handle({ body }, context) {
    return context.store.transaction(async (tx) => {
      const { user, session } = await revalidateUserCaller(tx, context.caller, context.clock);
      const { device, deviceTokenId } = await associateDevice(tx, user.userId, body, context);
      await bindToDevice(tx, session, device);
      const isOneOfMany = await hasManyNewDevices(tx, user.userId, context.clock);
      const known = isOneOfMany ? user : withKnownSource(user, callerKey(context.source, device), context);
      if (known !== user) await tx.users.replace(known);
      return { deviceTokenId };
    });
  },
});

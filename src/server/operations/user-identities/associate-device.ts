import * as z from 'zod';
import { singleLine } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { associateDevice, hasManyNewDevices } from '../../sessions/devices.ts';
import { callerKey, withKnownSource } from '../../sessions/known-sources.ts';
import { bindToDevice } from '../../sessions/refresh-tokens.ts';
import { revalidateUserCaller } from '../../sessions/revalidate-caller.ts';
import { defineOperation } from '../define.ts';

const Body = z
  .strictObject({
    deviceId: singleLine(200, 'Id that the device reports').meta({ examples: ['pixel-of-alice'] }),
    deviceVersion: z.enum(['V1', 'V2']).optional(),
    deviceName: singleLine(200, 'Name that the user gave the device')
      .optional()
      .meta({ examples: ["Alice's phone"] }),
  })
  .meta({ id: 'DeviceInput' });

const DeviceToken = z
  .strictObject({
    deviceTokenId: sensitive(z.string(), 'one-time').meta({
      description: 'Credential of the device for remember-me; returned only once',
      examples: ['ZGV2aWNlLXRva2Vu'],
    }),
  })
  .meta({ id: 'DeviceToken' });

export default defineOperation({
  id: 'user-identities.associate-device',
  title: 'Associate a device with the user',
  description:
    'Associates a device with the user and binds the calling session to it, unless the session is of a login with a browser: remember-me then accepts the refresh tokens of the session only together with the deviceTokenId. A device that is already associated keeps its binding and gets a new deviceTokenId; the old one is no longer valid. A user can have at most 50 devices; another one replaces the device that was associated first, if possible one that completed no second factor. Of the devices associated within one hour, five are known devices immediately, and the others after the user logs in with them.',
  method: 'POST',
  path: '/user-identities/me/associate-user-device',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: { body: ['deviceId', 'deviceName'] } },
  status: [201, 400, 401, 403, 500],
  request: { body: Body },
  response: { status: 201, body: DeviceToken, secret: true },
  errors: ['USER_MISSING'],

  async handle({ body }, context) {
    return context.store.transaction(async (tx) => {
      const { user, session } = await revalidateUserCaller(tx, context.caller, context.clock);
      const { device, deviceTokenId } = await associateDevice(tx, user, body, context);
      // A login with a browser is renewed by its application alone, on no device.
      if (session.openid === undefined) await bindToDevice(tx, session, device);
      const isOneOfMany = await hasManyNewDevices(tx, user.userId, context.clock);
      const known = isOneOfMany ? user : withKnownSource(user, callerKey(context.source, device), context);
      if (known !== user) await tx.users.replace(known);
      return { deviceTokenId };
    });
  },
});

/** Devices of users: the token of an associated device is required to renew the session that is bound to it. */
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { generateSecret, type Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Device, Session, User } from '../store/tables.ts';
import { isMfaDevice, type KnownSourceDeps } from './known-sources.ts';

/** Maximum devices of a user; one more replaces the one with the oldest association. */
export const maxDevices = 50;

interface Deps extends KnownSourceDeps {
  readonly ids: Ids;
  readonly random: Random;
}

/** Properties of a device as sent by the client. */
export interface DeviceFields {
  readonly deviceId: string;
  readonly deviceVersion?: Device['deviceVersion'] | undefined;
  readonly deviceName?: string | undefined;
}

/**
 * Associates a device with a user and issues a new token of 256 random bits. A device that is already associated keeps
 * its row; its previous token becomes invalid.
 */
export async function associateDevice(
  tx: Transaction,
  user: User,
  { deviceId, deviceVersion, deviceName }: DeviceFields,
  deps: Deps,
): Promise<{ readonly device: Device; readonly deviceTokenId: string }> {
  const { clock, ids, random } = deps;
  const { userId } = user;
  const own = await tx.devices.find('userId', userId);
  const existing = own.find((device) => device.deviceId === deviceId);
  if (!existing) await evictOldestDevices(tx, user, own, deps);
  const deviceTokenId = generateSecret(random);
  const device: Device = {
    ...(existing ?? { deviceKey: ids.newId(), userId, deviceId }),
    ...(deviceVersion === undefined ? {} : { deviceVersion }),
    ...(deviceName === undefined ? {} : { deviceName }),
    tokenHash: hashSecret(deviceTokenId),
    createdAt: clock.now().toISOString(),
  };
  await (existing ? tx.devices.replace(device) : tx.devices.insert(device));
  return { device, deviceTokenId };
}

/** New devices within an hour that become known sources immediately. */
const maxNewDevicesPerHour = 5;
const hourMs = 3_600_000;

/**
 * Whether a user associated more devices than that within the last hour. The others become known sources only by a
 * login: each known device has separate login attempts, and a stolen session could otherwise create any number of them.
 */
export async function hasManyNewDevices(
  reader: Pick<Reader, 'devices'>,
  userId: string,
  clock: Clock,
): Promise<boolean> {
  const since = clock.now().getTime() - hourMs;
  const devices = await reader.devices.find('userId', userId);
  return devices.filter(({ createdAt }) => Date.parse(createdAt) > since).length > maxNewDevicesPerHour;
}

/**
 * A session that is bound to a removed device can no longer be renewed. Devices that completed a second factor are removed
 * last: a thief of the password can associate any number of others.
 */
async function evictOldestDevices(
  tx: Transaction,
  user: User,
  own: readonly Device[],
  deps: KnownSourceDeps,
): Promise<void> {
  const oldestFirst = own.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const [kept, others] = [true, false].map((isKept) =>
    oldestFirst.filter((device) => isMfaDevice(user, device, deps) === isKept),
  );
  for (const { deviceKey } of [...(others ?? []), ...(kept ?? [])].slice(0, Math.max(0, own.length + 1 - maxDevices)))
    await tx.devices.delete(deviceKey);
}

/** What a session stores of its device. */
export function toDeviceBinding({ deviceKey, tokenHash }: Device): Pick<Session, 'deviceKey' | 'deviceTokenHash'> {
  return { deviceKey, deviceTokenHash: tokenHash };
}

export async function findDeviceByToken(
  reader: Pick<Reader, 'devices'>,
  userId: string,
  deviceTokenId: string,
): Promise<Device | undefined> {
  const device = await reader.devices.getBy('tokenHash', hashSecret(deviceTokenId));
  return device?.userId === userId ? device : undefined;
}

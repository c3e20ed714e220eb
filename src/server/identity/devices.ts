/** Devices of users: once one is associated, what it shows takes part in renewing the session that it is bound to. */
import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import { generateSecret, type Random } from '../random.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Device } from '../store/tables.ts';
import { hashSecret } from './secrets.ts';

/** A user has so many at most; one more takes the place of the one that was associated longest ago. */
export const maxDevices = 50;

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

/** What a user's device says of itself. */
export interface DeviceFields {
  readonly deviceId: string;
  readonly deviceVersion?: Device['deviceVersion'] | undefined;
  readonly deviceName?: string | undefined;
}

/**
 * Associates a device with a user. One that is associated already stays what it is, and shows a new value of 256 random
 * bits from now on; the old one is no longer taken.
 */
export async function associateDevice(
  tx: Transaction,
  userId: string,
  { deviceId, deviceVersion, deviceName }: DeviceFields,
  { clock, ids, random }: Deps,
): Promise<{ readonly device: Device; readonly deviceTokenId: string }> {
  const own = await tx.devices.find('userId', userId);
  const existing = own.find((device) => device.deviceId === deviceId);
  if (!existing) await evictOldestDevices(tx, own);
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

/** So many new devices within an hour are known sources at once; */
const maxNewDevicesPerHour = 5;
const hourMs = 3_600_000;

/**
 * Whether a user associated more devices within the last hour. Those beyond become known by a login with them: each known
 * device has attempts of its own, and a stolen session would make as many as it likes.
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

/** A session that is bound to a device which had to go is not renewed any more. */
async function evictOldestDevices(tx: Transaction, own: readonly Device[]): Promise<void> {
  const oldestFirst = own.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  for (const { deviceKey } of oldestFirst.slice(0, Math.max(0, own.length + 1 - maxDevices)))
    await tx.devices.delete(deviceKey);
}

/** The device of this user that shows this value. */
export async function findDeviceByToken(
  reader: Pick<Reader, 'devices'>,
  userId: string,
  deviceTokenId: string,
): Promise<Device | undefined> {
  const device = await reader.devices.getBy('tokenHash', hashSecret(deviceTokenId));
  return device?.userId === userId ? device : undefined;
}

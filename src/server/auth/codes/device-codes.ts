/**
 * Device codes (RFC 8628): a device without a browser polls with one, while its user types the user code on another machine
 * and logs in there. The store has a row for each: the device code has the state, the user code leads to it.
 */
import { apiError, retryLater } from '../../../contract/errors.ts';
import { deviceGrantType } from '../../../contract/grant-types.ts';
import { assertLoginsKept } from '../../directory/login-approval.ts';
import { type Clock, epochSeconds } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { findGroupWait, recordGroupAttempt } from '../../mfa/otp-attempts.ts';
import { createUnknownSource } from '../../mfa/otp-source.ts';
import type { OtpDeps } from '../../mfa/otp-value.ts';
import type { Transaction } from '../../store/store.ts';
import type { StoreSecret } from '../../store/store-secret.ts';
import type { Client, OneTimeToken, Session } from '../../store/tables.ts';
import type { UserContent } from '../../tokens/content.ts';
import { issueOneTimeToken, oneTimeTokenLifetimes } from '../../tokens/one-time-tokens.ts';
import { type CodeExchange, type ExchangeDeps, startClientSession, toGrantor } from './authorization-codes.ts';

/** Seconds in which the user can type the code, and between two polls at first (RFC 8628, 3.2). */
export const deviceCodeLifetimeSeconds = 600;
const pollSeconds = 5;

/** Consonants without Y: no words, and nothing that looks like another letter (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** The requests of this login, in the request log. */
export function flowOfDevice(deviceCodeHash: string): string {
  return deviceCodeHash.slice(0, 16);
}

export interface DeviceGrant extends Pick<NonNullable<OneTimeToken['device']>, 'openidScopes' | 'resources'> {
  readonly client: Client;
  readonly scope?: readonly string[] | undefined;
}

export interface DeviceCodes {
  readonly deviceCode: string;
  /** As it is shown: `BCDF-GHJK`. */
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

type IssueDeps = ExchangeDeps & { readonly storeSecret: Pick<StoreSecret, 'digest'> };

/** Issues a pair of codes. @throws IamError GRANT_TYPE_NOT_ALLOWED. */
export async function issueDeviceCodes(
  deps: IssueDeps,
  { client, scope, openidScopes, resources }: DeviceGrant,
): Promise<DeviceCodes> {
  const typed = drawLetters(deps.random);
  const { clientId } = client;
  const device = { openidScopes, ...(resources === undefined ? {} : { resources }), interval: pollSeconds };
  const deviceCode = await deps.store.transaction(async (tx) => {
    await assertLoginsKept(tx, client);
    const { value } = await issueOneTimeToken(tx, { kind: 'device-code', clientId, scope, device }, deps);
    await tx.tickets.insert({
      ...{ ticketHash: digestUserCode(typed, deps), kind: 'user-code', clientId, deviceCodeHash: hashSecret(value) },
      expiresAt: epochSeconds(deps.clock) + deviceCodeLifetimeSeconds,
    });
    return value;
  });
  deps.recordFlow(flowOfDevice(hashSecret(deviceCode)));
  return { deviceCode, userCode: formatUserCode(typed), expiresIn: deviceCodeLifetimeSeconds, interval: pollSeconds };
}

/** Uniformly distributed: bytes beyond the last whole multiple are rejected. */
function drawLetters(random: Random): string {
  let drawn = '';
  while (drawn.length < codeLength)
    drawn += [...random.bytes(codeLength)]
      .filter((byte) => byte < 256 - (256 % letters.length))
      .map((byte) => letters[byte % letters.length])
      .join('');
  return drawn.slice(0, codeLength);
}

/** The letters of what was typed: case, hyphens and spaces do not matter. */
export function normalizeUserCode(typed: string): string {
  return [...typed.toUpperCase()].filter((character) => letters.includes(character)).join('');
}

export function formatUserCode(code: string): string {
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
}

/** Keyed, because eight letters are too few for an unkeyed hash. */
function digestUserCode(code: string, { storeSecret }: Pick<IssueDeps, 'storeSecret'>): string {
  return storeSecret.digest('user code', code);
}

/** What a device asks for while its user has not decided. */
export interface PendingDevice {
  readonly deviceCodeHash: string;
  readonly clientId: string;
  readonly scope?: readonly string[] | undefined;
  readonly openidScopes: readonly string[];
  readonly resources?: readonly string[] | undefined;
}

type LookupDeps = OtpDeps & Parameters<typeof createUnknownSource>[0];

/**
 * The device with this user code. Wrong ones count as wrong one-time codes of the source (RFC 8628, 5.1).
 * @throws IamError DEVICE_CODE_INVALID, CODE_FAILURES.
 */
export async function findPendingDevice(deps: LookupDeps, userCode: string): Promise<PendingDevice> {
  // Thrown after the transaction, which counts a wrong code.
  const found = await deps.store.transaction(async (tx) => {
    const source = createUnknownSource(deps);
    const wait = await findGroupWait(tx, source, deps);
    if (wait > 0) return { wait };
    const pending = await readPendingDevice(tx, deps, userCode);
    if (!pending) await recordGroupAttempt(tx, source, deps);
    return { pending };
  });
  if (found.wait !== undefined) throw retryLater('CODE_FAILURES', found.wait);
  if (!found.pending) throw apiError('DEVICE_CODE_INVALID');
  return found.pending;
}

async function readPendingDevice(
  tx: Transaction,
  deps: Pick<LookupDeps, 'storeSecret' | 'clock'>,
  userCode: string,
): Promise<PendingDevice | undefined> {
  const { deviceCodeHash, expiresAt = 0 } = (await tx.tickets.get(digestUserCode(userCode, deps))) ?? {};
  if (deviceCodeHash === undefined || expiresAt <= epochSeconds(deps.clock)) return undefined;
  const row = await tx.tickets.get(deviceCodeHash);
  if (!row?.device || row.clientId === undefined || row.device.decision !== undefined) return undefined;
  const { openidScopes, resources } = row.device;
  return { deviceCodeHash, clientId: row.clientId, scope: row.scope, openidScopes, resources };
}

/**
 * Records the decision of the user of a browser session; undefined: it was denied.
 * @throws IamError DEVICE_CODE_INVALID if it was decided or has expired meanwhile.
 */
export function decideDevice(
  { store, clock }: Pick<ExchangeDeps, 'store' | 'clock'>,
  { deviceCodeHash }: Pick<PendingDevice, 'deviceCodeHash'>,
  session: Session | undefined,
): Promise<void> {
  return store.transaction(async (tx) => {
    const row = await tx.tickets.get(deviceCodeHash);
    if (!row?.device || row.device.decision !== undefined) throw apiError('DEVICE_CODE_INVALID');
    const decision = session ? ('allowed' as const) : ('denied' as const);
    await tx.tickets.replace({
      ...row,
      ...(session ? toGrantor(session, { clock }) : {}),
      device: { ...row.device, decision },
    });
  });
}

/**
 * The tokens for a device code of this client, once. A poll before the user has decided is an error, whose kind says
 * whether the device polls too often.
 * @throws IamError GRANT_INVALID, TARGET_INVALID, DEVICE_PENDING, DEVICE_POLLED_TOO_OFTEN, DEVICE_CODE_EXPIRED, LOGIN_REFUSED.
 */
export async function redeemDeviceCode(
  deps: ExchangeDeps,
  client: Client,
  exchange: Pick<CodeExchange, 'code' | 'resources'>,
): Promise<UserContent> {
  // Thrown after the transaction, which counts the poll.
  const outcome = await deps.store.transaction((tx) => poll(tx, deps, client, exchange));
  if (typeof outcome === 'string') throw apiError(outcome);
  return outcome;
}

type PollError =
  | 'GRANT_INVALID'
  | 'DEVICE_PENDING'
  | 'DEVICE_POLLED_TOO_OFTEN'
  | 'DEVICE_CODE_EXPIRED'
  | 'LOGIN_REFUSED';

async function poll(
  tx: Transaction,
  deps: ExchangeDeps,
  client: Client,
  { code, resources }: Pick<CodeExchange, 'code' | 'resources'>,
): Promise<UserContent | PollError> {
  const row = await tx.tickets.get(hashSecret(code));
  if (!row?.device || row.clientId !== client.clientId) return 'GRANT_INVALID';
  deps.recordFlow(flowOfDevice(row.ticketHash));
  const { decision } = row.device;
  if (decision === 'denied') return 'LOGIN_REFUSED';
  if (isExpired(row, deps)) return 'DEVICE_CODE_EXPIRED';
  if (decision === undefined) return countPoll(tx, row, row.device, deps);
  await tx.tickets.delete(row.ticketHash);
  const start = { row, grantType: deviceGrantType, grant: row.device, resources } as const;
  return (await startClientSession(tx, deps, start)) ?? 'GRANT_INVALID';
}

function isExpired({ expiresAt }: OneTimeToken, { clock }: { readonly clock: Clock }): boolean {
  const issuedAt = expiresAt - oneTimeTokenLifetimes['device-code'];
  return issuedAt + deviceCodeLifetimeSeconds <= epochSeconds(clock);
}

/** RFC 8628, 3.5. A second less than the interval is not too often: clocks and networks are not exact. */
async function countPoll(
  tx: Transaction,
  row: OneTimeToken,
  device: NonNullable<OneTimeToken['device']>,
  { clock }: ExchangeDeps,
): Promise<PollError> {
  const now = epochSeconds(clock);
  const { interval, polledAt = Number.NEGATIVE_INFINITY } = device;
  const isTooOften = now - polledAt < interval - 1;
  await tx.tickets.replace({
    ...row,
    device: { ...device, interval: interval + (isTooOften ? pollSeconds : 0), polledAt: now },
  });
  return isTooOften ? 'DEVICE_POLLED_TOO_OFTEN' : 'DEVICE_PENDING';
}

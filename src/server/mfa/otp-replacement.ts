/** The codes of a subject for one purpose: which ones are stored, and which one a new code replaces. */
import type { Reader } from '../store/store.ts';
import type { Otp } from '../store/tables.ts';

/** Maximum live codes per subject and purpose. */
const maxLiveOtps = 4;
/** Maximum used or expired codes stored besides them, to recognize them when they are submitted again. */
const maxSpentOtps = 3;
/** Maximum stored codes: a used code that was revoked by its own use is stored once more. */
export const maxStoredOtps = maxLiveOtps + maxSpentOtps + 1;

export type OtpOwner = Pick<Otp, 'purpose' | 'subject'>;

/** The codes of one subject and purpose, for any target; oldest first. */
export async function listOtps(reader: Pick<Reader, 'codes'>, { purpose, subject }: OtpOwner): Promise<readonly Otp[]> {
  const rows = await reader.codes.find('subject', subject);
  return rows
    .filter((row) => row.purpose === purpose)
    .toSorted((a, b) => a.createdAt - b.createdAt || a.sequence - b.sequence);
}

export function isLive({ used, expiresAt }: Pick<Otp, 'used' | 'expiresAt'>, now: number): boolean {
  return !used && expiresAt > now;
}

/** Whether both codes have the same target and source: the later one then replaces the earlier one. */
export function isSameRequest(a: Pick<Otp, 'target' | 'source'>, b: Pick<Otp, 'target' | 'source'>): boolean {
  return a.target === b.target && a.source === b.source && a.source !== undefined;
}

/** The codes that a new code replaces, or the time when a new code is allowed again. */
export type OtpReplacement =
  | { readonly isAllowed: true; readonly removed: readonly Otp[]; readonly voids: string | undefined }
  | { readonly isAllowed: false; readonly allowedAt: number };

/** How much a source is trusted: by a second factor, by a login, or not at all. */
function rankOf({
  known,
  knownByMfa = false,
}: {
  readonly known: boolean;
  readonly knownByMfa?: boolean | undefined;
}): number {
  return knownByMfa ? 2 : known ? 1 : 0;
}

/**
 * The codes that a new code replaces: always the previous code for the same target and source. If four others are live,
 * the oldest one of the same source, else of the least trusted ones, is replaced too. A code requested by a source that is
 * known by a second factor is replaced only for another such source: logins alone cannot keep a user from new codes.
 */
export function findOtpReplacement(
  codes: readonly Otp[],
  request: Pick<Otp, 'target' | 'source' | 'known'> & { readonly knownByMfa?: boolean },
  now: number,
): OtpReplacement {
  const previous = codes.filter((code) => isSameRequest(code, request));
  const others = codes.filter((code) => !previous.includes(code));
  const live = others.filter((code) => isLive(code, now));
  const spent = others.filter((code) => !isLive(code, now));
  const removed = [...previous, ...spent.slice(0, Math.max(0, spent.length - maxSpentOtps))];
  if (live.length < maxLiveOtps)
    return { isAllowed: true, removed, voids: previous.find((code) => isLive(code, now))?.codeId };
  const leastTrusted = live.reduce((a, b) => (rankOf(b) < rankOf(a) ? b : a));
  const displaced = live.find(({ source }) => source === request.source) ?? leastTrusted;
  if (displaced.source !== request.source && rankOf(displaced) === 2 && rankOf(request) < 2)
    return { isAllowed: false, allowedAt: Math.min(...live.map(({ expiresAt }) => expiresAt)) };
  return { isAllowed: true, removed: [...removed, displaced], voids: displaced.codeId };
}

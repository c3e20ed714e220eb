/** The codes that a subject has for one purpose: which ones there are, and which one goes when a new one is sent. */
import type { Reader } from '../store/store.ts';
import type { Otp } from '../store/tables.ts';

/** So many codes are live per subject and purpose. */
const maxLiveOtps = 4;
/** So many that were used or are over stay beside them, to be recognized when they are typed again. */
const maxSpentOtps = 3;
/** The most that there are at any time: a used code that was voided by its own use is stored once more. */
export const maxStoredOtps = maxLiveOtps + maxSpentOtps + 1;

export type OtpOwner = Pick<Otp, 'purpose' | 'subject'>;

/** Those of one subject and purpose, whatever their target; the oldest first. */
export async function listOtps(reader: Pick<Reader, 'codes'>, { purpose, subject }: OtpOwner): Promise<readonly Otp[]> {
  const rows = await reader.codes.find('subject', subject);
  return rows
    .filter((row) => row.purpose === purpose)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.sequence ?? 0) - (b.sequence ?? 0));
}

export function isLive({ used, expiresAt }: Pick<Otp, 'used' | 'expiresAt'>, now: number): boolean {
  return !used && expiresAt > now;
}

/** Whether both belong to one holder and were asked for by one source: then the later one voids the earlier one. */
export function isSameRequest(a: Pick<Otp, 'target' | 'source'>, b: Pick<Otp, 'target' | 'source'>): boolean {
  return a.target === b.target && a.source === b.source && a.source !== undefined;
}

/** What goes for a new code. */
export type OtpSlot =
  | { readonly isFree: true; readonly removed: readonly Otp[]; readonly voids: string | undefined }
  | { readonly isFree: false; readonly freeAt: number };

/**
 * The codes that a new one displaces. It voids the one that the same source asked for, of the same holder. Where four
 * others are live, one goes: of the same source, else of an unknown source, the oldest first; one that a known source
 * asked for goes only for another known source.
 */
export function findOtpSlot(
  codes: readonly Otp[],
  request: Pick<Otp, 'target' | 'source'> & { readonly known: boolean },
  now: number,
): OtpSlot {
  const previous = codes.filter((code) => isSameRequest(code, request));
  const others = codes.filter((code) => !previous.includes(code));
  const live = others.filter((code) => isLive(code, now));
  const spent = others.filter((code) => !isLive(code, now));
  const removed = [...previous, ...spent.slice(0, Math.max(0, spent.length - maxSpentOtps))];
  if (live.length < maxLiveOtps)
    return { isFree: true, removed, voids: previous.find((code) => isLive(code, now))?.codeId };
  const displaced =
    live.find(({ source }) => source === request.source) ??
    live.find(({ known }) => !known) ??
    (request.known ? live[0] : undefined);
  if (!displaced) return { isFree: false, freeAt: Math.min(...live.map(({ expiresAt }) => expiresAt)) };
  return { isFree: true, removed: [...removed, displaced], voids: displaced.codeId };
}

/** Wrong codes: counted for each subject and purpose, whatever codes are sent meanwhile, until an hour after the last. */
import type { Randomness } from '../randomness.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Code } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';

const failuresAllowed = 5;
const hour = 3600;

type Counted = Pick<Code, 'purpose' | 'subject'>;
type Failures = Pick<Store, 'codeFailures'>;

/** The name under which the wrong codes of a holder count. */
export function failuresName({ purpose, subject }: Counted): string {
  return `${purpose}/${subject}`;
}

/** How many more wrong codes a holder may give. */
export async function attemptsLeft(reader: Failures, holder: Counted, now: number): Promise<number> {
  return Math.max(0, failuresAllowed - failuresOf(await reader.codeFailures.get(failuresName(holder)), now));
}

/** The seconds until a code is looked at again; undefined where it is now. */
export async function heldFor(tx: Transaction, name: string, now: number): Promise<number | undefined> {
  const failures = await tx.codeFailures.get(name);
  if (!failures || failuresOf(failures, now) < failuresAllowed) return undefined;
  // After a clock was set back they count as if just now: nobody waits until it is there again.
  if (failures.lastAt > now) await tx.codeFailures.replace({ ...failures, lastAt: now });
  return Math.min(failures.lastAt, now) + hour - now;
}

/** Counts a wrong code. Counts that are over are cleared away. */
export async function countFailure(tx: Transaction, name: string, now: number, randomness: Randomness): Promise<void> {
  const before = await tx.codeFailures.get(name);
  const counted = { name, failures: failuresOf(before, now) + 1, lastAt: now };
  if (before) await tx.codeFailures.replace(counted);
  else await tx.codeFailures.insert(counted);
  await clearExpired(
    {
      list: async (range) =>
        (await tx.codeFailures.list(range)).map((row) => ({ ...row, expiresAt: row.lastAt + hour })),
      delete: (key) => tx.codeFailures.delete(key),
    },
    (row) => row.name,
    now,
    randomness,
  );
}

function failuresOf(row: { readonly failures: number; readonly lastAt: number } | undefined, now: number): number {
  return row && row.lastAt + hour > now ? row.failures : 0;
}

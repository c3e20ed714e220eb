/** Codes as whoever they were sent to reads them: from the outbox. */
import { codeOf } from '../../../src/server/identity/messages.ts';
import { foldIdentifier } from '../../../src/server/store/tables.ts';
import type { TestServer } from '../../harness.ts';

/** The last code that went to this address or number. */
export async function lastCode({ world: { store, storeKey } }: TestServer, to: string): Promise<string> {
  const message = (await store.messages.find('to', foldIdentifier(to))).findLast(
    ({ sealedCode }) => sealedCode !== undefined,
  );
  const code = message && codeOf(message, storeKey);
  if (code === undefined) throw new Error(`no code went to ${to}`);
  return code;
}

/** Another code of six digits. */
export function wrongCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** Codes as their receivers read them. */
import { codeOf } from '../../../src/server/identity/messages.ts';
import type { TestServer } from '../../harness.ts';

/** The code of the last message to an address or number. */
export async function lastCode({ world: { store, storeKey } }: TestServer, to: string): Promise<string> {
  const message = (await store.messages.list()).findLast((one) => one.to === to);
  const code = message && codeOf(message, storeKey);
  if (code === undefined) throw new Error(`no code went to ${to}`);
  return code;
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

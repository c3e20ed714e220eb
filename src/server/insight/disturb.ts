/** Does to a call what faults on purpose say, and marks it: in a header, and for the journal of requests. */
import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.ts';
import { setHeader } from '../http/answer.ts';
import { goneSignal } from '../http/gone.ts';
import type { KeyRing } from '../tokens/keys.ts';
import type { Disturbance, Faults } from './faults.ts';

/** In every answer that a fault had a part in. */
const faultHeader = 'X-Iam-Fault';

/** Thrown where the connection is to end without an answer. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
}

/** @throws IamError the failure that the call asks for itself. What the operation does not document is passed over (RFC 7240, 2). */
export function failAsPreferred(ctx: Context, faults: Faults, operation: Operation<never>): void {
  const preferred = faults.preferred(String(ctx.req.headers.prefer), operation);
  if (!preferred) return;
  mark(ctx, preferred.text);
  setHeader(ctx, 'Preference-Applied', `code=${preferred.status}`);
  throw preferred.error;
}

/**
 * Before the operation begins. @returns whether time went by, after which what the caller may do has to be asked again.
 * @throws ConnectionDropped; IamError the failure of a rule.
 */
export async function disturbBefore(ctx: Context, faults: Faults, disturbance: Disturbance): Promise<boolean> {
  const { text, waitMs, drop, error } = disturbance;
  mark(ctx, text);
  if (waitMs > 0) await faults.wait(waitMs, goneSignal(ctx.res));
  if (drop === 'before') throw new ConnectionDropped();
  if (error) throw error;
  return waitMs > 0;
}

/** After the operation is done and what it wrote is kept, before it is answered. @throws ConnectionDropped. */
export async function disturbAfter({ drop, rotateKey }: Disturbance, keys: KeyRing): Promise<void> {
  if (rotateKey) await keys.rotate();
  if (drop === 'after') throw new ConnectionDropped();
}

/** For the key set. @returns whether the set before is to be given. */
export function wantsStaleKeys(ctx: Context, faults: Faults | undefined): boolean {
  const text = faults?.staleKeys();
  if (text !== undefined) mark(ctx, text);
  return text !== undefined;
}

function mark(ctx: Context, text: string): void {
  ctx.state.fault = text;
  setHeader(ctx, faultHeader, text);
}

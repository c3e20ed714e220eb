/** Does to a call what faults on purpose say, and marks it: in a header, and for the journal of requests. */
import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.ts';
import { createDisconnectSignal } from '../http/client-disconnect.ts';
import { setHeader } from '../http/response.ts';
import type { KeyRing } from '../tokens/keys.ts';
import type { FaultInjector, InjectedFault } from './fault-injector.ts';

/** In every answer that a fault had a part in. */
const faultHeader = 'X-Iam-Fault';

/** Thrown where the connection is to end without an answer. */
export class ConnectionDroppedError extends Error {
  override readonly name = 'ConnectionDroppedError';
}

/** @throws IamError the failure that the call asks for itself. What the operation does not document is passed over (RFC 7240, 2). */
export function throwPreferredError(ctx: Context, faults: FaultInjector, operation: Operation<never>): void {
  const preferred = faults.parsePrefer(String(ctx.req.headers.prefer), operation);
  if (!preferred) return;
  markFault(ctx, preferred.text);
  setHeader(ctx, 'Preference-Applied', `code=${preferred.status}`);
  throw preferred.error;
}

/**
 * Before the operation begins. @returns whether time went by, after which what the caller may do has to be asked again.
 * @throws ConnectionDropped; IamError the failure of a rule.
 */
export async function applyFaultBefore(ctx: Context, faults: FaultInjector, injected: InjectedFault): Promise<boolean> {
  const { text, waitMs, drop, error } = injected;
  markFault(ctx, text);
  if (waitMs > 0) await faults.wait(waitMs, createDisconnectSignal(ctx.res));
  if (drop === 'before') throw new ConnectionDroppedError();
  if (error) throw error;
  return waitMs > 0;
}

/** After the operation is done and what it wrote is kept, before it is answered. @throws ConnectionDropped. */
export async function applyFaultAfter({ drop, rotateKey }: InjectedFault, keys: KeyRing): Promise<void> {
  if (rotateKey) await keys.rotate();
  if (drop === 'after') throw new ConnectionDroppedError();
}

/** For the key set. @returns whether the set before is to be given. */
export function shouldServeStaleKeys(ctx: Context, faults: FaultInjector | undefined): boolean {
  const text = faults?.matchKeySet();
  if (text !== undefined) markFault(ctx, text);
  return text !== undefined;
}

function markFault(ctx: Context, text: string): void {
  ctx.state.fault = text;
  setHeader(ctx, faultHeader, text);
}

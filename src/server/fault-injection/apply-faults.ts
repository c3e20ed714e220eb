/** Applies injected faults to a request, and marks it in a header and in the request log. */

import type { Operation } from '../../contract/operation.ts';
import type { KoaContext } from '../http/request-state.ts';
import { setHeader } from '../http/response.ts';
import type { KeyRing } from '../tokens/keys.ts';
import type { FaultInjector, InjectedFault } from './fault-injector.ts';

/** Set in every response that a fault affected. */
const faultHeader = 'X-Iam-Fault';

/** Thrown to close the connection without a response. */
export class ConnectionDroppedError extends Error {
  override readonly name = 'ConnectionDroppedError';
}

/** @throws IamError the error that the Prefer header requests. Ignores errors that the operation does not document (RFC 7240, 2). */
export function throwPreferredError(ctx: KoaContext, faults: FaultInjector, operation: Operation<never>): void {
  const preferred = faults.parsePrefer(String(ctx.req.headers.prefer), operation);
  if (!preferred) return;
  markFault(ctx, preferred.text);
  setHeader(ctx, 'Preference-Applied', `code=${preferred.status}`);
  throw preferred.error;
}

/**
 * Runs before the operation. @returns whether it waited; the caller must then be revalidated.
 * @throws ConnectionDroppedError; IamError the error of a rule.
 */
export async function applyFaultBefore(
  ctx: KoaContext,
  faults: FaultInjector,
  injected: InjectedFault,
  disconnectSignal: () => AbortSignal,
): Promise<boolean> {
  const { text, waitMs, drop, error } = injected;
  markFault(ctx, text);
  if (waitMs > 0) await faults.wait(waitMs, disconnectSignal());
  if (drop === 'before') throw new ConnectionDroppedError();
  if (error) throw error;
  return waitMs > 0;
}

/** Runs after the operation has committed and before the response. @throws ConnectionDroppedError. */
export async function applyFaultAfter({ drop, rotateKey }: InjectedFault, keys: KeyRing): Promise<void> {
  if (rotateKey) await keys.rotate();
  if (drop === 'after') throw new ConnectionDroppedError();
}

/** Applies to the key set. @returns whether to return the keys from before the last rotation. */
export function shouldServeStaleKeys(ctx: KoaContext, faults: FaultInjector | undefined): boolean {
  const text = faults?.matchKeySet();
  if (text !== undefined) markFault(ctx, text);
  return text !== undefined;
}

function markFault(ctx: KoaContext, text: string): void {
  ctx.state.fault = text;
  setHeader(ctx, faultHeader, text);
}

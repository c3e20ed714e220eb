/** Applies injected faults to a request, and marks it in a header and in the request log. */

import type { Operation } from '../../contract/operation.ts';
import type { FaultAuthorization, FaultTarget } from '../../contract/testing/fault-effects.ts';
import type { KoaContext } from '../http/request-state.ts';
import { formatErrorPage, setHeader, setHeaders, writeText } from '../http/response.ts';
import type { KeyRing } from '../tokens/keys.ts';
import type { FaultInjector, GatewayResponse, InjectedFault } from './fault-injector.ts';

/** Set in every response that a fault affected. */
const faultHeader = 'X-Iam-Fault';

/** Thrown to close the connection without a response. */
export class ConnectionDroppedError extends Error {
  override readonly name = 'ConnectionDroppedError';
  /** Whether to reset the connection (TCP RST). */
  readonly isReset: boolean;

  constructor(isReset = false) {
    super();
    this.isReset = isReset;
  }
}

/** Thrown to return a response that no operation documents, as a gateway in front of the server would. */
export class GatewayResponseError extends Error {
  override readonly name = 'GatewayResponseError';
  readonly response: GatewayResponse;

  constructor(response: GatewayResponse) {
    super();
    this.response = response;
  }
}

/** Writes a page of HTML. */
export function writeGatewayResponse(ctx: KoaContext, { status, headers }: GatewayResponse): void {
  setHeaders(ctx, headers);
  writeText(ctx, status, formatErrorPage(status));
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
 * @throws ConnectionDroppedError; IamError, GatewayResponseError the error of a rule.
 */
export async function applyFaultBefore(
  ctx: KoaContext,
  faults: FaultInjector,
  injected: InjectedFault,
  disconnectSignal: () => AbortSignal,
): Promise<boolean> {
  const { text, waitMs, drop, body, error, gateway } = injected;
  markFault(ctx, text);
  if (waitMs > 0) await faults.wait(waitMs, disconnectSignal());
  if (drop === 'before' || drop === 'reset') throw new ConnectionDroppedError(drop === 'reset');
  if (body) ctx.state.bodyFault = body;
  if (error) throw error;
  if (gateway) throw new GatewayResponseError(gateway);
  return waitMs > 0;
}

/** Runs before the response at the redirect URI. @returns what is wrong with it. */
export function applyAuthorizationFault(
  ctx: KoaContext,
  faults: FaultInjector | undefined,
  operation: Operation<never>,
): FaultAuthorization | undefined {
  const fault = faults?.matchAuthorization(operation, ctx.state.caller);
  if (fault) markFault(ctx, fault.text);
  return fault?.kind;
}

/** Runs after the operation has committed and before the response. @throws ConnectionDroppedError. */
export async function applyFaultAfter({ drop, rotateKey }: InjectedFault, keys: KeyRing): Promise<void> {
  if (rotateKey) await keys.rotate();
  if (drop === 'after') throw new ConnectionDroppedError();
}

/** Runs before a document is written. @returns the fault that applies to it. @throws as applyFaultBefore, and on drop. */
export async function applyDocumentFault(
  ctx: KoaContext,
  faults: FaultInjector,
  { target, disconnectSignal }: { readonly target: FaultTarget; disconnectSignal(): AbortSignal },
): Promise<InjectedFault | undefined> {
  const fault = faults.matchDocument(target);
  if (!fault) return undefined;
  await applyFaultBefore(ctx, faults, fault, disconnectSignal);
  if (fault.drop) throw new ConnectionDroppedError();
  return fault;
}

function markFault(ctx: KoaContext, text: string): void {
  ctx.state.fault = text;
  setHeader(ctx, faultHeader, text);
}

/**
 * Who may reach the control plane of a server that only this machine reaches: programs on it, and pages of it. A page
 * from elsewhere can send calls to this machine as well; its Origin tells it, or, behind a name that was turned to this
 * machine (DNS rebinding), its Host.
 */
import type { Context } from 'koa';
import { fault } from '../../contract/errors.ts';
import { isLoopbackOrigin } from '../http/cors.ts';

/** @throws IamError HOST_FOREIGN, ORIGIN_FOREIGN. */
export function requireThisMachine(ctx: Context): void {
  const scheme = 'encrypted' in ctx.req.socket ? 'https' : 'http';
  const { host = '', origin } = ctx.req.headers;
  const called = `${scheme}://${host}`;
  if (!isLoopbackOrigin(called) || portOf(called) !== ctx.req.socket.localPort) throw fault('HOST_FOREIGN');
  if (origin !== undefined && !isLoopbackOrigin(origin)) throw fault('ORIGIN_FOREIGN');
}

/** The same as an answer. */
export function isFromThisMachine(ctx: Context): boolean {
  try {
    requireThisMachine(ctx);
    return true;
  } catch {
    return false;
  }
}

function portOf(origin: string): number {
  const { port, protocol } = new URL(origin);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Routes requests below /s/<name>/ to the sandbox of that name. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiError } from '../contract/errors.ts';
import type { AppContext } from './app-context.ts';
import { isControlPath } from './control/control-plane.ts';
import type { ControlGuard } from './control/guard.ts';
import { isSafeMethod } from './http/fetch-metadata.ts';
import type { Middleware } from './http/request-state.ts';
import { sandboxNamePattern } from './sandboxes/sandboxes.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/**
 * Sandboxes are part of the control plane and disabled with it. A loopback server creates a sandbox on first use, but not
 * for cross-origin pages; on other servers an administrator creates it.
 */
export function serveSandboxes(
  appContext: AppContext,
  guard: ControlGuard,
  createApp: (appContext: AppContext) => { callback(): unknown },
): Middleware {
  const { disableControlPlane } = appContext.settings;
  const apps = new WeakMap<AppContext, RequestHandler>();
  if (disableControlPlane) return (_ctx, next) => next();

  function handlerOf(sandbox: AppContext): RequestHandler {
    const existing = apps.get(sandbox);
    if (existing) return existing;
    const handler = createApp(sandbox).callback() as RequestHandler;
    apps.set(sandbox, handler);
    return handler;
  }

  return async (ctx, next) => {
    if (!ctx.state.path.startsWith('/s/')) return next();
    const [, name = '', rest = ''] = /^\/s\/([^/]+)(\/.*)$/.exec(ctx.state.path) ?? [];
    if (!sandboxNamePattern.test(name)) return next();
    const changes = !isSafeMethod(ctx.req.method);
    const mayCreate = guard.canCreateSandbox(ctx.state);
    // Check before creation, so that a rejected control request creates nothing.
    if (mayCreate && isControlPath(rest)) guard.assertAllowed(ctx.state, false);
    const sandbox = await (mayCreate
      ? appContext.sandboxes.open(name, changes)
      : appContext.sandboxes.find(name, changes));
    if (!sandbox) throw apiError('SANDBOX_NOT_FOUND');
    const { query } = ctx.state;
    ctx.req.url = query === '' ? rest : `${rest}?${query}`;
    await handlerOf(sandbox)(ctx.req, ctx.res);
    ctx.state.servedBySandbox = true;
  };
}

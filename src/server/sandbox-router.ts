/** Takes calls below /s/<name>/ to the sandbox of that name, which answers them as if it stood alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Context } from 'koa';
import { apiError } from '../contract/errors.ts';
import type { AppContext } from './app-context.ts';
import { stripControlPrefix } from './control/control-plane.ts';
import type { ControlGuard } from './control/guard.ts';
import { isSafeMethod } from './http/fetch-metadata.ts';
import { sandboxNamePattern } from './sandboxes.ts';

/** True where a sandbox has answered the call. */
export type SandboxRouter = (ctx: Context) => Promise<boolean>;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/**
 * A sandbox is part of the control plane, and gone with it. On a server that only this machine reaches one is made with
 * its first use, but not by a page from elsewhere; on others an administrator makes it.
 */
export function createSandboxRouter(
  appContext: AppContext,
  guard: ControlGuard,
  createApp: (appContext: AppContext) => Koa,
): SandboxRouter {
  const { disableControlPlane } = appContext.settings;
  const apps = new WeakMap<AppContext, RequestHandler>();
  if (disableControlPlane) return async () => false;

  function handlerOf(sandbox: AppContext): RequestHandler {
    const existing = apps.get(sandbox);
    if (existing) return existing;
    const handler = createApp(sandbox).callback() as RequestHandler;
    apps.set(sandbox, handler);
    return handler;
  }

  return async (ctx) => {
    const [, name = '', rest = ''] = /^\/s\/([^/]+)(\/.*)$/.exec(ctx.state.path) ?? [];
    if (!sandboxNamePattern.test(name)) return false;
    const changes = !isSafeMethod(ctx.req.method);
    const mayCreate = guard.canCreateSandbox(ctx);
    // Before it is made: what its control plane refuses changes nothing.
    if (mayCreate && stripControlPrefix(rest) !== undefined) guard.assertAllowed(ctx, false);
    const sandbox = await (mayCreate
      ? appContext.sandboxes.open(name, changes)
      : appContext.sandboxes.find(name, changes));
    if (!sandbox) throw apiError('SANDBOX_NOT_FOUND');
    const { query } = ctx.state;
    ctx.req.url = query === '' ? rest : `${rest}?${query}`;
    await handlerOf(sandbox)(ctx.req, ctx.res);
    return true;
  };
}

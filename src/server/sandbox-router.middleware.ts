/** Routes requests below /s/<name>/ to the sandbox of that name. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiError } from '../contract/errors.ts';
import type { AppContext } from './app-context.ts';
import type { ControlGuard } from './control/guard.ts';
import { isSafeMethod } from './http/fetch-metadata.ts';
import { isControlPath } from './http/paths.ts';
import type { KoaContext, Middleware } from './http/request-state.ts';
import { sandboxNamePattern } from './sandboxes/sandboxes.ts';

/** The prefixes of metadata paths that insert the path of the issuer after the well-known part (RFC 8414, 3.1). */
const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

interface SandboxPath {
  readonly name: string;
  /** The path inside the sandbox. */
  readonly rest: string;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** The sandbox of `/s/<name>/...`, or of a metadata path that contains its issuer; undefined for other paths. */
function parseSandboxPath(path: string, basePath: string): SandboxPath | undefined {
  if (path.startsWith('/s/')) {
    const [, name = '', rest = ''] = /^\/s\/([^/]+)(\/.*)$/.exec(path) ?? [];
    return sandboxNamePattern.test(name) ? { name, rest } : undefined;
  }
  const rest = metadataPaths.find((prefix) => path.startsWith(`${prefix}/`));
  if (rest === undefined) return undefined;
  const inserted = path.slice(rest.length);
  const issuerPath = inserted.startsWith(`${basePath}/`) ? inserted.slice(basePath.length) : inserted;
  const [, name = ''] = /^\/s\/([^/]+)$/.exec(issuerPath) ?? [];
  return sandboxNamePattern.test(name) ? { name, rest } : undefined;
}

/**
 * Sandboxes are part of the control plane and disabled with it. A loopback server creates a sandbox on first use, but not
 * for cross-origin pages; on other servers an administrator creates it.
 */
export function serveSandboxes(
  appContext: AppContext,
  guard: ControlGuard,
  createRequestListener: (appContext: AppContext) => RequestHandler,
): Middleware {
  const { disableControlPlane } = appContext.settings;
  const apps = new WeakMap<AppContext, RequestHandler>();
  const basePath = new URL(appContext.baseUrl).pathname.replace(/\/$/, '');
  if (disableControlPlane) return (_ctx, next) => next();

  function handlerOf(sandbox: AppContext): RequestHandler {
    const existing = apps.get(sandbox);
    if (existing) return existing;
    const handler = createRequestListener(sandbox);
    apps.set(sandbox, handler);
    return handler;
  }

  return (ctx, next) => {
    const target = parseSandboxPath(ctx.state.path, basePath);
    return target ? serve(ctx, target) : next();
  };

  async function serve(ctx: KoaContext, { name, rest }: SandboxPath): Promise<void> {
    if (appContext.store.shared) throw apiError('STORE_SHARED');
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
  }
}

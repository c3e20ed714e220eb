/** Serves the web console. Its files contain no data: on a server with remote access, the page asks for credentials. */
import { apiError } from '../contract/errors.ts';
import type { AppContext } from './app-context.ts';
import {
  assetNameAt,
  consolePath,
  findConsoleAsset,
  isConsolePath,
  renderConsolePage,
} from './console/console-responses.ts';
import type { ControlGuard } from './control/guard.ts';
import type { KoaContext, Middleware } from './http/request-state.ts';
import { setHeader, setHeaders, writeText } from './http/response.ts';

/** All other paths go to the next step. The console is part of the control plane and disabled with it. */
export function serveConsole(appContext: AppContext, guard: ControlGuard): Middleware {
  const { disableControlPlane } = appContext.settings;
  return (ctx, next) => (disableControlPlane || !isConsolePath(ctx.state.path) ? next() : serve(ctx));

  async function serve(ctx: KoaContext): Promise<void> {
    const { path } = ctx.state;
    const asset = assetNameAt(path);
    guard.assertAllowed(ctx.state, asset === undefined);
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD')
      throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: 'GET, HEAD' });
    if (path === consolePath) writeRedirect(ctx);
    else await writeFile(ctx, appContext, asset);
  }
}

/** The paths of the console are below it, so its own needs the slash. */
function writeRedirect(ctx: KoaContext): void {
  setHeader(ctx, 'Location', 'console/');
  writeText(ctx, 308, { contentType: 'text/plain; charset=utf-8', text: '' });
}

async function writeFile(ctx: KoaContext, appContext: AppContext, asset: string | undefined): Promise<void> {
  const { consoleFiles, random } = appContext;
  const files = await consoleFiles();
  const response =
    asset === undefined
      ? renderConsolePage(files, {
          path: ctx.state.path,
          isSandbox: appContext.sandbox !== undefined,
          random,
          loginClient: await findLoginClient(appContext),
        })
      : findConsoleAsset(files, asset, String(ctx.req.headers['accept-encoding'] ?? ''));
  setHeaders(ctx, response.headers ?? {});
  writeText(ctx, 200, response);
}

/**
 * The application client of the service, which the login form of a server with remote access uses by itself. Its id is no secret
 * (RFC 6749, 2.2), but the page needs no credentials: it contains this id alone, and none once the client was deleted or has a
 * secret. The page is also served while the store does not respond.
 */
async function findLoginClient({ settings, store }: AppContext): Promise<string | undefined> {
  if (!settings.allowRemote) return undefined;
  const client = await store.clients.getBy('bootstrap', 'app').catch(() => undefined);
  return client?.secretHash === undefined ? client?.clientId : undefined;
}

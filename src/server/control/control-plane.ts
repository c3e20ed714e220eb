/** The routes of the control plane, through the pipeline of the operations. Loaded at its first request. */
import { errorTable } from '../../contract/error-codes.ts';
import { apiError, IamError } from '../../contract/errors.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import { parseRoles } from '../../contract/roles.ts';
import { packageVersion } from '../../contract/version.ts';
import type { AppContext } from '../app-context.ts';
import { metricsPath } from '../http/paths.ts';
import { createRouter } from '../http/router.ts';
import listGroups from '../operations/groups/list.ts';
import { type AnyOperation, compileOperation, type MountedRoute, type OperationHandler } from '../pipeline.ts';
import { assertImportable } from '../store/memory/capacity.ts';
import { buildControlDocument } from './control-document.ts';
import type { ControlRoute } from './define.ts';
import { controlRoutes } from './routes/index.ts';

/** The routes at the prefix of the control plane. */
function mountControlRoutes(): MountedRoute[] {
  return controlRoutes.flatMap((route) => {
    const mounted = mountRoute(route);
    return route.path === metricsPath ? [mounted, { ...mounted, path: metricsPath }] : [mounted];
  });
}

/** A separate realm, so that browsers send these credentials to no other path (RFC 7617, 2.2). */
const pageChallenge = 'Basic realm="iam control plane", charset="UTF-8"';

/** Browsers prompt for id and secret on a Basic challenge; a page request has no other way to send credentials. */
function withBasicChallenge(handle: OperationHandler): OperationHandler {
  return (...request) =>
    handle(...request).catch((error) => {
      throw toBasicChallenge(error);
    });
}

function toBasicChallenge(error: unknown): unknown {
  if (!(error instanceof IamError) || errorTable[error.code].status !== 401) return error;
  const [first, ...others] = error.errors;
  if (!first) return error;
  return new IamError([first, ...others], {
    cause: error,
    headers: { 'WWW-Authenticate': pageChallenge },
  }).withReasonOf(error);
}

/** Returns the API document, which is built on the first call. */
function createControlDocument({ baseUrl, settings }: AppContext): () => object {
  let document: object | undefined;
  return () => {
    document ??= buildControlDocument(controlRoutes, {
      version: packageVersion,
      baseUrl,
      isRemote: settings.allowRemote,
    });
    return document;
  };
}

function mountRoute(route: ControlRoute): MountedRoute {
  // The request context comes from the app context, whose clock is adjustable; only the type of these routes exposes it.
  const operation = route as unknown as AnyOperation;
  return {
    method: route.method,
    path: controlPrefix + route.path,
    operation,
    compile: (appContext) => compileRoute(route, operation, appContext),
    isPage: route.browser === 'page',
  };
}

/** With remote access a route requires its capability; otherwise all callers are on this machine and need no credentials. */
function compileRoute(route: ControlRoute, operation: AnyOperation, appContext: AppContext): OperationHandler {
  const handle = compileOperation(
    appContext.settings.allowRemote ? operation : withoutAuthentication(operation),
    appContext,
    {
      groupReaders: listGroups.roles,
      recheckReaders: appContext.settings.allowRemote,
      controlDocument: createControlDocument(appContext),
      // One server cannot do this for the others.
      assertAllowed:
        route.exclusive && appContext.store.shared ? rejectShared : route.hashes && appContext.assertHashesReadable,
      assertBodyFits: (length) => assertImportable(appContext.heap, length),
      queue: route.large && appContext.serviceStateQueue,
    },
  );
  return route.browser ? withBasicChallenge(handle) : handle;
}

function rejectShared(): never {
  throw apiError('STORE_SHARED');
}

/** The route without authentication: credentials in the request are ignored. */
function withoutAuthentication(route: AnyOperation): AnyOperation {
  return { ...route, auth: 'none', roles: parseRoles('none') };
}

export const controlRouter = createRouter(mountControlRoutes());

/** The OpenAPI 3.1 document of the control plane. Served at /_iam/openapi.json, kept in docs/. */
import type { Operation } from '../../contract/operation.ts';
import { type ControlContext, controlPrefix } from '../control/define.ts';
import { guardCodes } from '../control/guard.ts';
import { controlRoutes } from '../control/routes.ts';
import { buildDocument, type DocumentOptions } from './document.ts';
import { buildSecurity } from './requests.ts';
import type { Json } from './schemas.ts';
import { controlTags, findControlTag } from './tags.ts';

const description = `What a server offers beside the interface: messages that were sent, the clock, sandboxes, state, faults, calls.

On a server that only this machine reaches it asks for no credentials. On a server that others reach, callers need the roles
given in \`x-roles\`. Requests of pages on other sites are refused, and a page that changes something sends
\`Content-Type: application/json\` or \`X-Requested-With\`. \`--disable-control-plane\` switches all of it off.
Every failure is a non-empty array of \`{code, message}\`; codes are stable.`;

export interface ControlDocumentOptions extends DocumentOptions {
  /** Whether other machines reach the server, so that callers have to show who they are. */
  readonly isRemote: boolean;
}

/** The document of all routes. The same options give the same text. */
export function buildControlDocument({ isRemote, ...options }: ControlDocumentOptions): Json {
  // What handlers are given does not matter to a document.
  const routes = controlRoutes as readonly Operation<ControlContext>[] as readonly Operation<never>[];
  return buildDocument(routes, {
    ...options,
    title: 'IAM control plane',
    description,
    prefix: controlPrefix,
    tags: controlTags,
    tagOf: ({ path }) => findControlTag(path),
    securityOf: (route) => (isRemote || route.auth === 'none' ? buildSecurity(route) : [{}, ...buildSecurity(route)]),
    rolesText: (roles) => (roles === 'none' ? 'Roles: none.' : `Roles, where other machines reach it: ${roles}.`),
    guardCodes,
  });
}

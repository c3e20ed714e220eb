/** The OpenAPI 3.1 document of the control plane. Served at /_iam/openapi.json; the build writes dist/docs/control-openapi.json. */
import type { Operation } from '../../contract/operation.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import { buildDocument, type DocumentOptions } from '../openapi/document.ts';
import type { Json } from '../openapi/json.ts';
import { buildSecurity } from '../openapi/requests.ts';
import { controlTags, findControlTag } from '../openapi/tags.ts';
import type { ControlRoute } from './define.ts';
import { guardCodes } from './guard.ts';

const description = `Development and administration endpoints of a server: messages, clock, sandboxes, state, faults, request log.

A server without remote access requires no credentials. With \`--allow-remote\`, callers need the roles in \`x-roles\`.
Requests from pages of other sites are rejected. A page that changes something must send
\`Content-Type: application/json\` or \`X-Requested-With\`. \`--disable-control-plane\` disables the control plane.
Every error response is a non-empty array of \`{code, message}\`; codes are stable.`;

export interface ControlDocumentOptions extends DocumentOptions {
  /** Whether the server has remote access, so that callers must authenticate. */
  readonly isRemote: boolean;
}

/** Builds the document of these routes. Deterministic for the same routes and options. */
export function buildControlDocument(
  routes: readonly ControlRoute[],
  { isRemote, ...options }: ControlDocumentOptions,
): Json {
  // The context type of the handlers is irrelevant here.
  return buildDocument(routes as readonly Operation<never>[], {
    ...options,
    title: 'IAM control plane',
    description,
    prefix: controlPrefix,
    tags: controlTags,
    tagOf: ({ path }) => findControlTag(path),
    securityOf: (route) => (isRemote || route.auth === 'none' ? buildSecurity(route) : [{}, ...buildSecurity(route)]),
    rolesText: (roles) => (roles === 'none' ? 'Roles: none.' : `Roles on a server with remote access: ${roles}.`),
    guardCodes,
  });
}

/** Identity providers: certificate authorities, SAML and OpenID Connect, as the store has them. */
import type { PortParts } from './ports.ts';

export type Providers = Record<never, never>;

export function createProviders(_parts: PortParts): Providers {
  return {};
}

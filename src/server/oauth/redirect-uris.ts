/** Which redirect URIs of a client browser logins use, and how a requested one is compared (RFC 9700, 2.1 and 4.1.3). */
import { isLocalName } from '../config/validators.ts';

/** `http` on an IP address of this machine, and the rest: the port is chosen by the application (RFC 8252, 7.3). */
const loopbackPattern = /^http:\/\/(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?([/?].*)?$/;

/** URL parsers also accept `;`, `,`, `*` and `'`, which have a meaning in the policy of a page (CSP, form-action). */
const hostPattern = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/i;

/**
 * Whether a login may lead there: https, http on this machine, or a private scheme with a dot (RFC 8252, 7.1). Others that
 * are stored stay, and are never used. Fragments and what parsers read differently are refused.
 */
export function isUsableRedirectUri(uri: string): boolean {
  if (!/^[!$-;=?-[\]_a-z~]+$/i.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol !== 'https:' && protocol !== 'http:') return protocol.includes('.');
  return hostPattern.test(hostname) && (protocol === 'https:' || isLocalName(hostname));
}

/** The requested URI if it is one of these: the same text, on an IP address of this machine with any port. */
export function matchRedirectUri(registered: readonly string[], requested: string): string | undefined {
  if (!isUsableRedirectUri(requested)) return undefined;
  const target = withoutPort(requested);
  return registered.some((uri) => uri === requested || (target !== undefined && withoutPort(uri) === target))
    ? requested
    : undefined;
}

/**
 * Whether only the application of a client without a secret gets what is sent there. Any program of the machine can listen
 * on another port, or claim a private scheme (RFC 8252, 8.6). Registered without a port, an address of this machine stands for
 * all ports, not for port 80.
 */
export function identifiesApplication(registered: readonly string[], uri: string): boolean {
  const isForAllPorts = loopbackPattern.test(uri) && new URL(uri).port === '';
  return registered.includes(uri) && /^https?:/.test(uri) && !isForAllPorts;
}

function withoutPort(uri: string): string | undefined {
  const [, host, rest = ''] = loopbackPattern.exec(uri) ?? [];
  return host === undefined ? undefined : `${host}${rest}`;
}

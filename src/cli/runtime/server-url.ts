/** Comparison of server addresses. Pure. */
import { servicePrefix } from '../../contract/prefix.ts';

/** Whether two URLs name the same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Whether a URL names the trusted server itself, or a path below it such as one of its sandboxes. */
export function isSameServer(url: string, trusted: string): boolean {
  return isSameOrigin(url, trusted) && `${basePathOf(url)}/`.startsWith(`${basePathOf(trusted)}/`);
}

/** The address at which this machine reaches a server of its own: one that listens everywhere is on loopback as well. */
export function toReachableUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=[:/]|$)/, (_, scheme: string, host: string) =>
    scheme.concat(host === '[::]' ? '[::1]' : '127.0.0.1'),
  );
}

/** The path of a base URL; whether it ends with the service prefix makes no difference. */
function basePathOf(url: string): string {
  const path = new URL(url).pathname.replace(/\/+$/, '');
  return path.endsWith(servicePrefix) ? path.slice(0, -servicePrefix.length) : path;
}

/** Compares server URLs, and removes passwords from them. Pure. */
import { servicePrefix } from '../../contract/prefix.ts';

/** Whether two URLs have the same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

/** Whether a URL is that of the trusted server, or a path below it such as a sandbox. */
export function isSameServer(url: string, trusted: string): boolean {
  return isSameOrigin(url, trusted) && `${basePathOf(url)}/`.startsWith(`${basePathOf(trusted)}/`);
}

/** Whether two base URLs are of the same service. They may differ in the service prefix, and in slashes at the end. */
export function isSameBaseUrl(one: string, other: string): boolean {
  return isSameOrigin(one, other) && basePathOf(one) === basePathOf(other);
}

/** The URL at which this machine reaches a local server: a wildcard address becomes loopback. */
export function toReachableUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=[:/]|$)/, (_, scheme: string, host: string) =>
    scheme.concat(host === '[::]' ? '[::1]' : '127.0.0.1'),
  );
}

/** The path of a base URL, without the service prefix. */
export function basePathOf(url: string): string {
  const path = new URL(url).pathname.replace(/\/+$/, '');
  return path.endsWith(servicePrefix) ? path.slice(0, -servicePrefix.length) : path;
}

/** Replaces the user name and password of a URL. */
export function stripUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1(secret)@');
}

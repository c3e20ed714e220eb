/** What must not be seen in anything that is printed about a call. Pure. */

import { isHiddenName } from '../../contract/secret-names.ts';

/** A copy whose secret fields say only that they are there; `instead` says what stands for one. */
export function withoutSecrets(value: unknown, instead: (name: string) => string = () => '(secret)'): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutSecrets(inner, instead));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, isHiddenName(name) ? instead(name) : withoutSecrets(inner, instead)]),
  );
}

/** Whether any field at any depth is one that is hidden. */
export function holdsHidden(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => isHiddenName(name) || holdsHidden(inner));
}

/** A path whose query holds no secrets. */
export function openPath(path: string, instead: (name: string) => string = () => '(secret)'): string {
  const [start = '', query] = path.split(/\?(.*)/s);
  if (query === undefined) return path;
  const parts = query.split('&').map((part) => {
    const [name = ''] = part.split('=');
    return isHiddenName(name) ? `${name}=${instead(name)}` : part;
  });
  return `${start}?${parts.join('&')}`;
}

/** Whether a header of a request can be shown: all others may hold credentials. */
export function isOpenHeader(name: string): boolean {
  return ['accept', 'content-type', 'if-match', 'if-none-match', 'x-request-id'].includes(name);
}

/** A URL without the name and the password that may stand in it. */
export function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1(secret)@');
}

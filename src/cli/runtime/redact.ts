/** What must not be seen in anything that is printed about a call. Pure. */

/** Whether a field of this name holds something that must not be seen. */
export function isSecretName(name: string): boolean {
  return /(password|secret|apikey|token)$/i.test(name);
}

/** Codes and proofs open something as well, but are shown where somebody asks for them. */
function isHiddenName(name: string): boolean {
  return isSecretName(name) || /^((validation|auth|mfa)?code|otp|pin|saml_?response|(client_?)?assertion)$/i.test(name);
}

/** A copy whose secret fields say only that they are there; `instead` says what stands for one. */
export function withoutSecrets(value: unknown, instead: (name: string) => string = () => '(secret)'): unknown {
  if (Array.isArray(value)) return value.map((inner) => withoutSecrets(inner, instead));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, isHiddenName(name) ? instead(name) : withoutSecrets(inner, instead)]),
  );
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

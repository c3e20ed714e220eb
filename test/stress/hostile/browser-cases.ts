/** The combinations of the suite `browsers` and their expected outcomes, after dist/docs/control.md without server code. */

export const existingSandbox = 'there';

/** A value and its kind; the oracle knows the kind only. */
interface Meaning<Kind extends string> {
  readonly value: string | undefined;
  readonly kind: Kind;
}

type HostKind = 'loopback' | 'address' | 'base' | 'unrelated';
const hosts: readonly Meaning<HostKind>[] = [
  { value: 'localhost', kind: 'loopback' },
  { value: '127.0.0.1:1', kind: 'loopback' },
  { value: '[::1]:8080', kind: 'loopback' },
  { value: 'app.localhost', kind: 'loopback' },
  { value: '192.0.2.1:8080', kind: 'address' },
  { value: 'iam.example', kind: 'base' },
  { value: 'evil.example', kind: 'unrelated' },
  { value: 'localhost.evil.example', kind: 'unrelated' },
];

/** `same`: the origin of the request's Host. `base`: the origin of the base URL. */
type OriginKind = 'none' | 'same' | 'base' | 'loopback' | 'unrelated';
const origins: readonly Meaning<OriginKind>[] = [
  { value: undefined, kind: 'none' },
  { value: 'SAME', kind: 'same' },
  { value: 'BASE', kind: 'base' },
  { value: 'http://localhost:3000', kind: 'loopback' },
  { value: 'https://[::1]:9', kind: 'loopback' },
  { value: 'https://evil.example:1', kind: 'unrelated' },
  { value: 'http://localhost.evil.example', kind: 'unrelated' },
  { value: 'null', kind: 'unrelated' },
];

type SiteKind = 'silent' | 'own' | 'same-site' | 'other';
const sites: readonly Meaning<SiteKind>[] = [
  { value: undefined, kind: 'silent' },
  { value: 'none', kind: 'own' },
  { value: 'same-origin', kind: 'own' },
  { value: 'same-site', kind: 'same-site' },
  { value: 'cross-site', kind: 'other' },
  { value: 'anything', kind: 'other' },
];

/** Sec-Fetch-Mode and Sec-Fetch-Dest. */
const modes: readonly (readonly [mode: string | undefined, destination: string | undefined])[] = [
  [undefined, undefined],
  ['cors', undefined],
  ['cors', 'empty'],
  ['no-cors', 'image'],
  ['navigate', 'document'],
  ['navigate', 'iframe'],
];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** `isScript`: cannot be sent by a form, an image or a beacon. */
const bodyTypes: readonly { readonly headers: Readonly<Record<string, string>>; readonly isScript: boolean }[] = [
  { headers: {}, isScript: false },
  { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, isScript: false },
  { headers: { 'Content-Type': 'multipart/form-data; boundary=application/json' }, isScript: false },
  { headers: { 'Content-Type': 'text/plain' }, isScript: false },
  { headers: { 'Content-Type': 'application/json' }, isScript: true },
  { headers: { 'X-Requested-With': 'XMLHttpRequest' }, isScript: true },
];

type Part = 'control' | 'page' | 'service' | 'keys' | 'documents';
/** The paths; `sandbox` is whether the sandbox in the path exists. */
const targets: readonly { readonly path: string; readonly part: Part; readonly sandbox?: 'there' | 'new' }[] = [
  { path: '/_iam/users', part: 'control' },
  { path: '/_iam/keys/rotate', part: 'control' },
  { path: '/_iam/nothing', part: 'control' },
  { path: '/metrics', part: 'control' },
  { path: '/_iam/docs', part: 'page' },
  { path: '/healthz', part: 'documents' },
  { path: '/.well-known/jwks.json', part: 'keys' },
  { path: '/security/iam/v1/groups/none', part: 'service' },
  { path: `/s/${existingSandbox}/_iam/keys/rotate`, part: 'control', sandbox: 'there' },
  { path: `/s/${existingSandbox}/_iam/docs`, part: 'page', sandbox: 'there' },
  { path: `/s/${existingSandbox}/security/iam/v1/groups/none`, part: 'service', sandbox: 'there' },
  { path: '/s/new/_iam/keys/rotate', part: 'control', sandbox: 'new' },
  { path: '/s/new/healthz', part: 'documents', sandbox: 'new' },
  { path: '/s/new/security/iam/v1/groups/none', part: 'service', sandbox: 'new' },
];

const axes = [hosts, origins, sites, modes, methods, bodyTypes, targets] as const;

/** The number of combinations. */
export const combinations = axes.reduce((product, axis) => product * axis.length, 1);

interface Meanings {
  readonly host: HostKind;
  readonly origin: OriginKind;
  readonly site: SiteKind;
  readonly mode: (typeof modes)[number];
  readonly isScript: boolean;
  readonly target: (typeof targets)[number];
}

export interface Case {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether CORS may allow the page to read the response; locally: of a server without remote access. */
  readonly mayRead: 'always' | 'locally' | 'never';
  readonly meanings: Meanings;
}

/** Returns the combination with this number. */
export function createCase(number: number, port: string): Case {
  let rest = number;
  const pick = <Value>(axis: readonly Value[]): Value => {
    const value = axis[rest % axis.length] as Value;
    rest = Math.floor(rest / axis.length);
    return value;
  };
  const [host, origin, site, mode] = [pick(hosts), pick(origins), pick(sites), pick(modes)];
  const [method, bodyType, target] = [pick(methods), pick(bodyTypes), pick(targets)];
  const named: Readonly<Record<string, string>> = { SAME: `http://${host.value}`, BASE: `https://iam.example:${port}` };
  const allHeaders: Readonly<Record<string, string | undefined>> = {
    Host: host.value,
    Origin: named[origin.value ?? ''] ?? origin.value,
    'Sec-Fetch-Site': site.value,
    'Sec-Fetch-Mode': mode[0],
    'Sec-Fetch-Dest': mode[1],
    ...bodyType.headers,
  };
  const headers = Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== undefined));
  const meanings = { host: host.kind, origin: origin.kind, site: site.kind, mode, isScript: bodyType.isScript, target };
  const isLoopbackPage = origin.kind === 'loopback' || (origin.kind === 'same' && host.kind === 'loopback');
  const isOfService = target.part === 'service' || target.part === 'keys';
  const isOfControl = target.part === 'control' || target.part === 'page';
  const mayRead = !isLoopbackPage ? 'never' : isOfService ? 'always' : isOfControl ? 'locally' : 'never';
  return { method, path: target.path, headers: headers as Record<string, string>, mayRead, meanings };
}

export type GuardOutcome = 'served' | 'HOST_FOREIGN' | 'ORIGIN_FOREIGN' | 'CSRF_HEADER_MISSING' | 'SANDBOX_NOT_FOUND';

/** Returns the outcome that the rules require. */
export function computeExpected({ method, meanings }: Case, isRemote: boolean): GuardOutcome {
  const { host, target, isScript } = meanings;
  if (host === 'unrelated') return 'HOST_FOREIGN';
  const isLocal = isRemote || host === 'loopback';
  if (target.sandbox === 'new' && (isRemote || !isLocal || isCrossSite(meanings, isRemote))) return 'SANDBOX_NOT_FOUND';
  if (target.part !== 'control' && target.part !== 'page') return 'served';
  if (!isLocal) return 'HOST_FOREIGN';
  const isLink = method === 'GET' && meanings.mode[1] === 'document' && meanings.origin === 'none';
  if (!(target.part === 'page' && isLink) && isCrossSite(meanings, isRemote)) return 'ORIGIN_FOREIGN';
  const changes = !['GET', 'HEAD', 'OPTIONS'].includes(method);
  return changes && isPage(meanings) && !isScript ? 'CSRF_HEADER_MISSING' : 'served';
}

/** A request from another site. On a remote server, other pages on loopback count as other sites. */
function isCrossSite({ origin, site }: Meanings, isRemote: boolean): boolean {
  const own: readonly OriginKind[] = isRemote ? ['same', 'base'] : ['same', 'loopback'];
  if (origin !== 'none' && !own.includes(origin)) return true;
  if (site === 'same-site') return origin === 'none';
  return site === 'other';
}

/** Whether a browser page sent the request; Node's fetch sends only the mode `cors`. */
function isPage({ origin, site, mode: [mode, destination] }: Meanings): boolean {
  return (
    origin !== 'none' || site !== 'silent' || destination !== undefined || mode === 'no-cors' || mode === 'navigate'
  );
}

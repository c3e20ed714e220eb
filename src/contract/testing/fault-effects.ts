/**
 * The tables of fault injection: what a rule can affect, what it does, and rules with a name. The control plane, the CLI,
 * the library, the console and their documentation use them.
 */

interface FaultTargetEntry {
  readonly description: string;
  /** Paths of documents, or ids of operations. */
  readonly paths?: readonly string[];
  readonly operations?: readonly string[];
}

/** What a rule can affect beside one operation or all of them. */
export const faultTargets = {
  jwks: { description: 'the key set', paths: ['/.well-known/jwks.json'] },
  discovery: {
    description: 'the metadata of the server',
    paths: ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
  },
  authorization: {
    description: 'the authorization endpoint and the pages of logins',
    operations: ['oauth2.authorize', 'oauth2.authorize-form', 'oauth2.login', 'oauth2.provider-callback'],
  },
  logins: {
    description: 'logins of users with a password, a certificate or another identity',
    operations: [
      'user-identities.login',
      'user-identities.login-legacy',
      'user-identities.login-federated',
      'user-identities.certificate-login',
    ],
  },
} as const satisfies Readonly<Record<string, FaultTargetEntry>>;

export type FaultTarget = keyof typeof faultTargets;
export const faultTargetNames = Object.keys(faultTargets) as readonly FaultTarget[];

/** What the targets are, with the name of each. */
export function formatTargets(): string {
  return Object.entries(faultTargets)
    .map(([name, { description }]) => `${description} (${name})`)
    .join(', ');
}

/** Whether the target is documents outside the interface, which need no caller. */
export function isDocumentTarget(target: FaultTarget | undefined): boolean {
  return target !== undefined && 'paths' in faultTargets[target];
}

export const faultBodies = ['html', 'empty', 'malformed', 'cut'] as const;
export type FaultBody = (typeof faultBodies)[number];
export const faultDrops = ['before', 'after', 'reset'] as const;
export const faultAuthorizations = [
  'access-denied',
  'wrong-state',
  'wrong-nonce',
  'wrong-iss',
  'expired-code',
] as const;
export type FaultAuthorization = (typeof faultAuthorizations)[number];

interface FaultEffectEntry {
  /** The option of `iam faults add`, and its values. */
  readonly option: string;
  readonly values?: readonly string[] | 'integer';
  readonly description: string;
  /** The effect that this one adds to. */
  readonly addsTo?: string;
  /** Whether it also has an effect without `addsTo`. */
  readonly isAlsoAlone?: true;
  /** What it can affect; default: everything. */
  readonly only?: 'operations' | 'jwks';
}

/** A rule has one effect, with those that add to it. */
export const faultEffects = {
  status: {
    option: '--fail <status>',
    values: 'integer',
    description:
      'Return this status, from 400 to 599: the error that the operation documents for it, or else an HTML page, as a gateway does',
  },
  retryAfter: {
    option: '--retry-after <seconds>',
    values: 'integer',
    description: 'The Retry-After header of the status, in seconds',
    addsTo: 'status',
  },
  body: {
    option: '--body <kind>',
    values: faultBodies,
    description:
      'Replace the body of the response, or of the status: a page of HTML, nothing, JSON that ends too early, or a body that is cut off when the connection closes',
    addsTo: 'status',
    isAlsoAlone: true,
  },
  latency: { option: '--latency <time>', description: 'Delay before the operation starts: 200ms, 2s; at most 60s' },
  jitter: {
    option: '--jitter <time>',
    description: 'Maximum random addition to the latency',
    addsTo: 'latency',
  },
  drop: {
    option: '--drop <when>',
    values: faultDrops,
    description:
      'Close the connection before the operation starts, or after its changes are stored, or reset it (TCP RST) before the operation starts',
  },
  redirect: { option: '--redirect <url>', description: 'Redirect (302) to this path or URL' },
  authorization: {
    option: '--authorization <kind>',
    values: faultAuthorizations,
    description:
      'Change the response at the redirect URI after a login: the user denies it, another state, nonce in the ID token or issuer, or a code that has expired',
    only: 'operations',
  },
  rotateKey: {
    option: '--rotate-key',
    description: 'Rotate the signing key before the response is sent',
    only: 'operations',
  },
  staleKeys: {
    option: '--stale-keys',
    description: 'Serve the key set from before the last rotation',
    only: 'jwks',
  },
  missingKey: { option: '--missing-key', description: 'Serve the key set without the current key', only: 'jwks' },
} as const satisfies Readonly<Record<string, FaultEffectEntry>>;

export type FaultEffectName = keyof typeof faultEffects;

export const faultEffectEntries: readonly (readonly [string, FaultEffectEntry])[] = Object.entries(faultEffects);

/** Whether an effect with these fields has one effect, with what adds to it. */
export function isSingleEffect(names: readonly string[]): boolean {
  const given = faultEffectEntries.filter(([name]) => names.includes(name));
  const main = given.filter(([, { addsTo }]) => addsTo === undefined || !names.includes(addsTo));
  return main.length === 1 && main.every(([, { addsTo, isAlsoAlone }]) => addsTo === undefined || isAlsoAlone === true);
}

/** The effects that a rule can have, with what adds to each, by the name that `nameOf` returns for a field. */
export function listEffects(nameOf: (name: FaultEffectName) => string): string {
  const names = faultEffectEntries
    .filter(([, { addsTo, isAlsoAlone }]) => addsTo === undefined || isAlsoAlone === true)
    .map(([name]) => {
      const added = faultEffectEntries
        .filter(([, { addsTo }]) => addsTo === name)
        .map(([each]) => nameOf(each as FaultEffectName));
      const text = nameOf(name as FaultEffectName);
      return added.length === 0 ? text : `${text} (with ${added.join(', ')} or without)`;
    });
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** What the effect can affect. */
export function scopeOfEffect(names: readonly string[]): 'operations' | 'jwks' | undefined {
  return faultEffectEntries.find(([name, { only }]) => names.includes(name) && only !== undefined)?.[1].only;
}

/** An effect as in the header X-Iam-Fault: `status=503 retry-after=30`. */
export function formatEffect(effect: object): string {
  return Object.entries(effect)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return value === true ? name : `${name}=${value}`;
    })
    .join(' ');
}

interface FaultPresetEntry {
  readonly description: string;
  readonly rule: {
    readonly target?: FaultTarget;
    readonly times?: number;
    readonly effect: {
      readonly status?: number;
      readonly retryAfter?: number;
      readonly body?: FaultBody;
      readonly latency?: string;
      readonly drop?: (typeof faultDrops)[number];
      readonly authorization?: FaultAuthorization;
      readonly staleKeys?: true;
      readonly missingKey?: true;
    };
  };
}

/** Rules with a name. A rule that names one can select requests in addition, or another target. */
export const faultPresets = {
  'next-login-fails': {
    description: 'The next login of a user fails: 401',
    rule: { target: 'logins', times: 1, effect: { status: 401 } },
  },
  'gateway-502': {
    description: 'A gateway cannot reach the server: 502 with a page of HTML',
    rule: { effect: { status: 502, body: 'html' } },
  },
  'gateway-504': {
    description: 'A gateway waits too long for the server: 504 with a page of HTML',
    rule: { effect: { status: 504, body: 'html' } },
  },
  maintenance: {
    description: 'The server is down for maintenance: 503 with a page of HTML and Retry-After of two minutes',
    rule: { effect: { status: 503, body: 'html', retryAfter: 120 } },
  },
  'rate-limited': {
    description: 'Too many requests: 429 with Retry-After of 30 seconds',
    rule: { effect: { status: 429, retryAfter: 30 } },
  },
  'connection-reset': { description: 'The connection is reset (TCP RST)', rule: { effect: { drop: 'reset' } } },
  'jwks-down': {
    description: 'The key set is unavailable: 503',
    rule: { target: 'jwks', effect: { status: 503 } },
  },
  'jwks-slow': { description: 'The key set takes 10 seconds', rule: { target: 'jwks', effect: { latency: '10s' } } },
  'jwks-malformed': {
    description: 'The key set is not valid JSON',
    rule: { target: 'jwks', effect: { body: 'malformed' } },
  },
  'jwks-stale': {
    description: 'The key set is the one from before the last rotation',
    rule: { target: 'jwks', effect: { staleKeys: true } },
  },
  'jwks-missing-key': {
    description: 'The key set does not contain the key that signs',
    rule: { target: 'jwks', effect: { missingKey: true } },
  },
  'discovery-down': {
    description: 'The metadata of the server is unavailable: 503',
    rule: { target: 'discovery', effect: { status: 503 } },
  },
  'login-denied': {
    description: 'The user denies the login in the browser: access_denied',
    rule: { effect: { authorization: 'access-denied' } },
  },
  'login-wrong-state': {
    description: 'The response to the application has another state',
    rule: { effect: { authorization: 'wrong-state' } },
  },
  'login-wrong-nonce': {
    description: 'The ID token has another nonce',
    rule: { effect: { authorization: 'wrong-nonce' } },
  },
  'login-code-expired': {
    description: 'The code that the application gets has expired',
    rule: { effect: { authorization: 'expired-code' } },
  },
} as const satisfies Readonly<Record<string, FaultPresetEntry>>;

export type FaultPreset = keyof typeof faultPresets;
export const faultPresetNames = Object.keys(faultPresets) as readonly FaultPreset[];

/** `next-login-fails` is `Next login fails`. */
export function formatPreset(preset: FaultPreset): string {
  const words = preset.replaceAll('-', ' ').replace('jwks', 'JWKS');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A rule as it is requested. */
interface FaultRequest {
  readonly operation?: unknown;
  readonly target?: unknown;
  readonly caller?: unknown;
  readonly nth?: unknown;
  readonly times?: unknown;
  readonly preset?: unknown;
  readonly effect?: object | null | undefined;
}

/**
 * Whether a rule affects requests of all callers to all operations, until it is removed: programs and people use such a
 * service, so it is confirmed. Also with a probability, and one in several.
 */
export function affectsEverything({ preset, effect, ...rule }: FaultRequest): boolean {
  const entry: FaultPresetEntry | undefined = faultPresets[preset as FaultPreset];
  const { operation, target = entry?.rule.target, caller, nth, times = entry?.rule.times } = rule;
  if ([operation, target, caller, nth, times].some((value) => value !== undefined)) return false;
  const names = Object.keys(effect ?? entry?.rule.effect ?? {});
  return scopeOfEffect(names) !== 'jwks' && !names.includes('authorization');
}

export const affectsEverythingText = 'It affects requests of all callers to all operations, until it is removed.';

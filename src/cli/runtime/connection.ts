/** The client for the server and the credentials in use, loaded only by commands that call. */
import { setFlagsFromString } from 'node:v8';
import type { BaseClient } from '../../client/create-client.ts';
import type { Credentials } from '../../client/credentials.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { escapeControls } from './control-characters.ts';
import type { ErrorTable } from './error-entries.ts';
import { signInNeeded, usageError } from './failures.ts';
import type { Environment, Io } from './io.ts';
import { isLoopback, proxyFor, tlsOf } from './network.ts';
import type { ProfileFile } from './profile.ts';
import { withoutUserInfo } from './redact.ts';
import type { FindRequestFields } from './request-fields.ts';
import { guarded } from './safety.ts';
import { isWithin } from './server-url.ts';
import { chosenProfile, resolve, type Sources } from './settings.ts';
import { assertOwnTarget, requireOwnServer, type SignIn, signIn } from './sign-in.ts';
import { type Tracing, traced } from './tracing.ts';
import { assertConfidential, confidentialityGuard } from './transport-security.ts';

export interface ConnectionOptions {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly sources: Sources;
  readonly tracing: Tracing;
  readonly fieldsAt: FindRequestFields;
  /** Leaves the credentials in use out: for who is only about to sign in. */
  readonly anonymous: boolean;
}

/** Makes the client. Without credentials it calls anonymously, which public operations take. */
export async function connect(options: ConnectionOptions): Promise<BaseClient> {
  const { environment, manifest, sources, tracing, anonymous } = options;
  const { createBaseClient } = await import('../../client/create-client.ts');
  // undici compiles WebAssembly: without the optimizing compiler a short program ends 80 ms sooner.
  setFlagsFromString('--liftoff-only');
  const baseUrl = baseUrlOf(sources);
  const found: SignIn = anonymous ? { kind: 'none', origin: 'nowhere' } : signIn(sources);
  assertOwnCertificate(sources);
  const cached = await cacheFor(found, baseUrl, environment);
  const total = seconds(sources) * 1000;
  const way = await wayTo(sources, baseUrl, total);
  const assertRequest = confidentialityGuard(sources, baseUrl, options.fieldsAt);
  const { onRequest, onAnswer } = traced(options, tracing, URL.canParse(baseUrl) ? new URL(baseUrl).origin : '');
  const client = createBaseClient(
    {
      baseUrl,
      credentials: await credentialsOf(found, baseUrl, environment, manifest),
      timeouts: { total, connect: total },
      ...cached,
      ...way,
      onRequest: (request) => {
        assertRequest(request);
        onRequest?.(request);
      },
      onAnswer,
    },
    manifest,
  );
  return guarded(client, manifest, sources);
}

/** A client certificate is a credential: that of the environment, or of a profile, is not for every server. */
function assertOwnCertificate(sources: Sources): void {
  const { value, origin } = resolve('client-cert', sources) ?? {};
  const profile = chosenProfile(sources);
  if (origin === 'IAM_CLIENT_CERT') assertOwnTarget(sources);
  else if (profile && value !== undefined && value === profile.clientCert) requireOwnServer(sources, profile);
}

/** How calls get there: the usual way where nothing else is said. */
async function wayTo(sources: Sources, baseUrl: string, connect: number) {
  const tls = tlsOf(sources);
  const url = proxyFor(sources, baseUrl);
  if (url === undefined) return isLoopbackName(baseUrl) ? loopbackWay(connect) : { tls };
  const { throughProxy } = await import('../../client/proxy.ts');
  return { connector: throughProxy({ url, tls, timeout: connect }), via: `the proxy ${new URL(url).origin}` };
}

/** `localhost` and names below it, over http. A name server must not lead their calls to another host. */
function isLoopbackName(baseUrl: string): boolean {
  const { protocol, hostname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  return protocol === 'http:' && /(^|\.)localhost$/.test(hostname ?? '');
}

async function loopbackWay(timeout: number) {
  const { loopbackConnector } = await import('../../client/loopback.ts');
  return { connector: loopbackConnector({ timeout }) };
}

/** Only what a profile holds anyway may lie on the disk between runs. */
async function cacheFor(found: SignIn, baseUrl: string, environment: Environment) {
  if (found.kind !== 'client' || found.profile === undefined) return {};
  const { tokenCache } = await import('./token-cache.ts');
  return { tokenCache: tokenCache(baseUrl, found, environment) };
}

/**
 * Where the calls go. The file of a project comes from others, so it may choose among the servers that the user has
 * profiles for, and this machine: any other could only be after what is sent to it.
 */
export function baseUrlOf(sources: Sources): string {
  const { value = '', origin } = resolve('base-url', sources) ?? {};
  if (origin !== undefined && origin === sources.project?.path && !isKnown(value, sources.file))
    throw signInNeeded(
      `${origin} names the server ${withoutUserInfo(value)}, which no profile of yours is for; nothing was sent.`,
      'If you trust it, add a profile with `iam profile add NAME --base-url URL`, or set IAM_BASE_URL.',
    );
  // What stands in an address ends up in logs, on screens and in shells. URL parsers drop line breaks and tabs.
  if (escapeControls(value) !== value)
    throw usageError(`The base URL (${origin}) holds control characters.`, 'Take them out.');
  if (withoutUserInfo(value) !== value) throw usageError('The base URL must not carry a user name or a password.');
  return value;
}

function isKnown(value: string, { profiles }: ProfileFile): boolean {
  if (!URL.canParse(value)) return true;
  return isLoopback(new URL(value)) || Object.values(profiles).some(({ baseUrl }) => isWithin(value, baseUrl));
}

/** The credentials in use, to be sent; or a failure that says how to give some, or why these can't be. */
export function requireSignIn(sources: Sources): SignIn {
  const found = requireCredentials(sources);
  assertConfidential(sources, baseUrlOf(sources));
  return found;
}

/** The same where they are only looked at, and not sent. */
export function requireCredentials(sources: Sources): SignIn {
  const found = signIn(sources);
  if (found.kind !== 'none') return found;
  throw signInNeeded('Nobody is signed in.', 'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.');
}

async function credentialsOf(
  found: SignIn,
  baseUrl: string,
  environment: Environment,
  table: ErrorTable,
): Promise<Credentials | undefined> {
  const { kind, token = '', apiKey = '', clientId = '', clientSecret = '' } = found;
  if (kind === 'none') return undefined;
  if (kind === 'token') return { token };
  if (kind === 'api-key') return { apiKey };
  if (kind === 'client') return { clientId, clientSecret };
  const { tokensOf } = await import('./session.ts');
  return { tokens: tokensOf(found, baseUrl, environment, table) };
}

function seconds(sources: Sources): number {
  const { value = '', origin = '' } = resolve('timeout', sources) ?? {};
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= 86_400) return Number(value);
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}

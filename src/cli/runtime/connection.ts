/** The client for the server and the credentials in use, loaded only by commands that call. */
import { setFlagsFromString } from 'node:v8';
import type { Answer } from '../../client/answer.ts';
import type { BaseClient } from '../../client/create-client.ts';
import type { Credentials } from '../../client/credentials.ts';
import type { OutgoingRequest } from '../../client/request.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { signInNeeded, usageError } from './failures.ts';
import type { Environment, Io } from './io.ts';
import { resolve, type Sources } from './settings.ts';
import { type SignIn, signIn } from './sign-in.ts';

export interface ConnectionOptions {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly sources: Sources;
  readonly debug: boolean;
  /** Leaves the credentials in use out: for who is only about to sign in. */
  readonly anonymous: boolean;
}

/** Makes the client. Without credentials it calls anonymously, which public operations take. */
export async function connect(options: ConnectionOptions): Promise<BaseClient> {
  const { io, environment, manifest, sources, debug, anonymous } = options;
  const { createBaseClient } = await import('../../client/create-client.ts');
  // undici compiles WebAssembly: without the optimizing compiler a short program ends 80 ms sooner.
  setFlagsFromString('--liftoff-only');
  const baseUrl = baseUrlOf(sources);
  const found: SignIn = anonymous ? { kind: 'none', origin: 'nowhere' } : signIn(sources);
  const cached = await cacheFor(found, baseUrl, environment);
  const total = seconds(sources) * 1000;
  return createBaseClient(
    {
      baseUrl,
      credentials: await credentialsOf(found, baseUrl, environment),
      timeouts: { total, connect: total },
      ...cached,
      ...(debug ? tracing(io, environment) : {}),
    },
    manifest,
  );
}

/** Only what a profile holds anyway may lie on the disk between runs. */
async function cacheFor(found: SignIn, baseUrl: string, environment: Environment) {
  if (found.kind !== 'client' || found.profile === undefined) return {};
  const { tokenCache } = await import('./token-cache.ts');
  return { tokenCache: tokenCache(baseUrl, found, environment) };
}

/** Where the calls go. */
export function baseUrlOf(sources: Sources): string {
  return resolve('base-url', sources)?.value ?? '';
}

/** The credentials in use, or a failure that says how to give some. */
export function requireSignIn(sources: Sources): SignIn {
  const found = signIn(sources);
  if (found.kind !== 'none') return found;
  throw signInNeeded('Nobody is signed in.', 'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.');
}

async function credentialsOf(
  found: SignIn,
  baseUrl: string,
  environment: Environment,
): Promise<Credentials | undefined> {
  const { kind, token = '', apiKey = '', clientId = '', clientSecret = '' } = found;
  if (kind === 'none') return undefined;
  if (kind === 'token') return { token };
  if (kind === 'api-key') return { apiKey };
  if (kind === 'client') return { clientId, clientSecret };
  const { tokensOf } = await import('./session.ts');
  return { tokens: tokensOf(found, baseUrl, environment) };
}

function seconds(sources: Sources): number {
  const { value = '', origin = '' } = resolve('timeout', sources) ?? {};
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= 86_400) return Number(value);
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}

/** Requests and answers as lines on standard error. Bodies and credentials stay out: both can be secret. */
function tracing(io: Io, { now }: Environment) {
  let startedAt = now();
  return {
    onRequest: ({ method, path, headers }: OutgoingRequest) => {
      startedAt = now();
      const names = Object.keys(headers).map((name) =>
        isOpen(name) ? `${name}: ${headers[name]}` : `${name}: (hidden)`,
      );
      io.stderr.write(`debug: > ${method} ${path} {${names.join(', ')}}\n`);
    },
    onAnswer: ({ status, requestId }: Answer) => {
      io.stderr.write(`debug: < ${status} after ${now() - startedAt} ms, request ${requestId ?? 'without an id'}\n`);
    },
  };
}

function isOpen(header: string): boolean {
  return ['accept', 'content-type', 'if-match'].includes(header);
}

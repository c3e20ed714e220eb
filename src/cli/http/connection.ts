/** Creates the client for the server and the credentials in use. */
import type { buildConnector, Dispatcher } from 'undici';
import { type BaseClient, createBaseClient } from '../../client/create-client.ts';
import type { Credentials } from '../../client/credentials.ts';
import { ClientError, NetworkError } from '../../client/errors.ts';
import { type ApiResponse, findResponseError } from '../../client/response.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import {
  assertOwnTarget,
  assertProfileServer,
  type ResolvedCredentials,
  resolveCredentials,
} from '../auth/credentials.ts';
import { createTokenSource } from '../auth/stored-token-source.ts';
import type { ProfileFile } from '../config/profile.ts';
import { createChangeCounter, guardWrites } from '../config/safety.ts';
import { basePathOf, isSameServer, stripUserInfo } from '../config/server-url.ts';
import type { CliSettings } from '../config/settings.ts';
import type { ErrorTable } from '../errors.ts';
import { signInNeededError, usageError } from '../errors.ts';
import { escapeHidden } from '../io/control-characters.ts';
import type { Environment, Io } from '../io/io.ts';
import { isLoopbackUrl, resolveProxy, resolveTls } from './network.ts';
import { describesLostAnswer, serviceMissingCode, tlsExpectedCode } from './network-failure.ts';
import { trackOutcomes } from './outcome.ts';
import { createProcessGuard } from './profile-server.ts';
import type { FindRequestFields } from './redact.ts';
import { createTracingHooks, type TracingOptions } from './request-trace.ts';
import { type RetryRules, readMaxWait } from './retry.ts';
import { assertConfidential, createConfidentialityGuard } from './transport-security.ts';

export interface ConnectOptions {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly settings: CliSettings;
  readonly tracing: TracingOptions;
  readonly fieldsAt: FindRequestFields;
  /** The credentials to send; by default those of the settings. */
  readonly credentials?: ResolvedCredentials;
  /** Prints which server a project file selected, once. */
  readonly announceServer: () => void;
  /** Prints on standard error that a request waits for the server. */
  readonly notice: (text: string) => void;
}

/** The client of a command. */
export interface CliClient extends BaseClient {
  /** Sends each request once. */
  readonly once: BaseClient;
  /** Sends each request once and reports what the transport reports, for commands that judge the answers themselves. */
  readonly direct: BaseClient;
  /** The number of changes that were made, or may have been. */
  countChanges(): number;
}

/** Bulk runs send several requests at once. */
const maxConnections = 32;

/** Creates the client. Without credentials its requests are anonymous, which public operations accept. */
export async function connect(options: ConnectOptions): Promise<CliClient> {
  const { environment, manifest, settings, tracing } = options;
  const baseUrl = resolveBaseUrl(settings);
  const credentials = options.credentials ?? resolveCredentials(settings);
  assertOwnCertificate(settings);
  const cached = await createCacheOptions(credentials, baseUrl, environment);
  const total = readTimeout(settings) * 1000;
  const { dispatcher, via } = await openRoute(settings, baseUrl, total);
  const assertRequest = createConfidentialityGuard(settings, baseUrl, options.fieldsAt);
  const assertRunning = createProcessGuard(settings, baseUrl, credentials, options.fieldsAt);
  const { onRequest, onResponse } = createTracingHooks(
    options,
    tracing,
    URL.canParse(baseUrl) ? new URL(baseUrl).origin : '',
  );
  const client = createBaseClient(
    {
      baseUrl,
      credentials: toClientCredentials(credentials, baseUrl, environment, manifest),
      timeouts: { total, connect: total },
      ...cached,
      dispatcher,
      via,
      onRequest: async (request) => {
        assertRequest(request);
        await assertRunning(request);
        onRequest?.(request);
      },
      onResponse,
    },
    manifest,
  );
  const isPlain = via === undefined && baseUrl.startsWith('http:');
  const explained = explainPath(isPlain ? explainTls(client, baseUrl) : client, baseUrl);
  const base = { ...explained, close: () => dispatcher.close() };
  const counter = createChangeCounter(settings, options.announceServer);
  const guard = (one: BaseClient) => guardWrites(one, manifest, counter);
  const retries = createRetryRules(options, baseUrl);
  const once = guard(trackOutcomes(base, { manifest }));
  const tracked = guard(trackOutcomes(base, { manifest, retries }));
  return { ...tracked, once, direct: guard(base), countChanges: () => counter.changes };
}

const probeTimeoutMs = 1_000;

/**
 * Explains requests in plain HTTP to a port that expects TLS, also those for a token: the connection is closed without an answer,
 * or a proxy such as nginx answers 400 with a page.
 */
function explainTls(client: BaseClient, baseUrl: string): BaseClient {
  const explain = async (request: Promise<ApiResponse>): Promise<ApiResponse> => {
    const failure = await request.then(findResponseError, (error: unknown) => error);
    const isPage = failure instanceof ClientError && failure.status === 400 && failure.items.length === 0;
    if ((isPage || describesLostAnswer(failure)) && (await probeTls(baseUrl)))
      throw new NetworkError('An https URL is needed: the server expects TLS.', tlsExpectedCode, failure);
    return request;
  };
  return {
    ...client,
    call: (id, input) => explain(client.call(id, input)),
    raw: (method, path, input) => explain(client.raw(method, path, input)),
  };
}

/** Explains operations that the server does not have below the path of the base URL, or at all. */
function explainPath(client: BaseClient, baseUrl: string): BaseClient {
  const isMissing = (failure: unknown) =>
    failure instanceof ClientError &&
    failure.status === 404 &&
    (failure.items.length === 0 || (failure.code === 'PATH_UNKNOWN' && basePathOf(baseUrl) !== ''));
  return {
    ...client,
    call: async (id, input) => {
      const request = client.call(id, input);
      const failure = await request.then(findResponseError, (error: unknown) => error);
      if (isMissing(failure))
        throw new NetworkError(`The service does not answer at ${baseUrl}.`, serviceMissingCode, failure);
      return request;
    },
  };
}

/** Loaded for failures only. */
async function probeTls(baseUrl: string): Promise<boolean> {
  const { expectsTls } = await import('./tls-probe.ts');
  return expectsTls(baseUrl, probeTimeoutMs);
}

/** Waits of a second and more are announced; the wait for a server that cannot be reached, to a person only. */
function createRetryRules({ io, environment, settings, notice }: ConnectOptions, baseUrl: string): RetryRules {
  const maxWait = readMaxWait(settings);
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000);
  return {
    ...{ maxWait, environment, signal: io.signal },
    onUnreachable: () => {
      if (io.stderr.isTTY === true)
        notice(`Cannot reach ${stripUserInfo(baseUrl)}. Trying again for up to ${seconds(maxWait.milliseconds)} s.`);
    },
    onBusy: (wait) => {
      if (wait >= noticeAfterMs) notice(`The server is busy. Retrying in ${seconds(wait)} s.`);
    },
  };
}

const noticeAfterMs = 1_000;

/** A client certificate is a credential: one from the environment or a profile is not sent to every server. */
function assertOwnCertificate(settings: CliSettings): void {
  const { value, origin } = settings.get('client-cert') ?? {};
  const profile = settings.profile;
  if (origin === 'IAM_CLIENT_CERT') assertOwnTarget(settings);
  else if (profile && value !== undefined && value === profile.clientCert) assertProfileServer(settings, profile);
}

/** The connections of a run, and the proxy that they go through. */
interface Route {
  readonly dispatcher: Dispatcher;
  readonly via?: string;
}

/** Node 20 optimizes the WebAssembly of undici before its first use, which takes 140 ms; later versions do not. */
async function skipOptimization(): Promise<void> {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only');
}

/** Opens no connection before the first request. */
async function openRoute(settings: CliSettings, baseUrl: string, timeout: number): Promise<Route> {
  await skipOptimization();
  const { Agent } = await import('undici');
  const open = (connect: buildConnector.connector | buildConnector.BuildOptions) =>
    new Agent({ connections: maxConnections, allowH2: false, connect });
  const tls = await resolveTls(settings);
  const proxy = resolveProxy(settings, baseUrl);
  if (proxy !== undefined) {
    const { createProxyConnector } = await import('./proxy.ts');
    const connector = createProxyConnector({ url: proxy, tls, timeout });
    return { dispatcher: open(connector), via: `the proxy ${new URL(proxy).origin}` };
  }
  if (!isLoopbackName(baseUrl)) return { dispatcher: open({ ...tls, timeout }) };
  const { createLoopbackConnector } = await import('./loopback.ts');
  return { dispatcher: open(createLoopbackConnector({ timeout })) };
}

/** `localhost` and its subdomains over http. A DNS server must not redirect these requests to another host. */
function isLoopbackName(baseUrl: string): boolean {
  const { protocol, hostname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  return protocol === 'http:' && /(^|\.)localhost$/.test(hostname ?? '');
}

/** Caches tokens on disk only for credentials that a profile stores. */
async function createCacheOptions(credentials: ResolvedCredentials, baseUrl: string, environment: Environment) {
  if (credentials.kind !== 'client' || credentials.profile === undefined) return {};
  const { createTokenCache } = await import('../auth/token-cache.ts');
  return { tokenCache: createTokenCache(baseUrl, credentials, environment) };
}

/**
 * Resolves the base URL. A project file is not trusted: it may only select a server that one of the user's profiles
 * names, or this machine. Another server could collect the credentials and data sent to it.
 */
export function resolveBaseUrl(settings: CliSettings): string {
  const { value = '', origin } = settings.get('base-url') ?? {};
  if (origin !== undefined && origin === settings.project?.path && !isKnownServer(value, settings.file))
    throw signInNeededError(
      `${origin} selects the server ${stripUserInfo(value)}, which none of your profiles names; nothing was sent.`,
      'If you trust it, add a profile with `iam profile add NAME --base-url URL`, or set IAM_BASE_URL.',
    );
  // URLs are printed in logs, terminals and shells, and URL parsers drop line breaks and tabs.
  if (escapeHidden(value) !== value)
    throw usageError(`The base URL (${origin}) contains control characters.`, 'Remove them.');
  if (URL.canParse(value) && !/^https?:$/.test(new URL(value).protocol))
    throw usageError(`The base URL ${stripUserInfo(value)} (${origin}) must be an http or https URL.`);
  if (stripUserInfo(value) !== value) throw usageError('The base URL must not contain a user name or a password.');
  return value;
}

function isKnownServer(value: string, { profiles }: ProfileFile): boolean {
  if (!URL.canParse(value)) return true;
  return isLoopbackUrl(new URL(value)) || Object.values(profiles).some(({ baseUrl }) => isSameServer(value, baseUrl));
}

/** Returns the credentials to send. @throws CliError if there are none or they must not be sent */
export function requireSendableCredentials(settings: CliSettings): ResolvedCredentials {
  const credentials = requireCredentials(settings);
  assertConfidential(settings, resolveBaseUrl(settings));
  return credentials;
}

/** Returns the credentials for inspection. @throws CliError (exit 4) if there are none */
export function requireCredentials(settings: CliSettings): ResolvedCredentials {
  const credentials = resolveCredentials(settings);
  if (credentials.kind !== 'none') return credentials;
  throw signInNeededError('Not signed in.', 'Sign in with `iam login`, or set IAM_CLIENT_ID and IAM_CLIENT_SECRET.');
}

function toClientCredentials(
  credentials: ResolvedCredentials,
  baseUrl: string,
  environment: Environment,
  table: ErrorTable,
): Credentials | undefined {
  const { kind, token = '', apiKey = '', clientId = '', clientSecret = '' } = credentials;
  if (kind === 'none') return undefined;
  if (kind === 'token') return { token };
  if (kind === 'api-key') return { apiKey };
  if (kind === 'client') return { clientId, clientSecret };
  return { tokens: createTokenSource(credentials, baseUrl, environment, table) };
}

function readTimeout(settings: CliSettings): number {
  const { value = '', origin = '' } = settings.get('timeout') ?? {};
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= 86_400) return Number(value);
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}

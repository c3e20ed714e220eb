/** Connection settings: proxy, trusted CA certificates and client certificate. */
import { isIPv6 } from 'node:net';
import type { TlsOptions } from '../../client/transport.ts';
import { readFileTrust } from '../../lib/file-trust.ts';
import { maxTextBytes, readTextFileSync } from '../../lib/text-file.ts';
import { stripUserInfo } from '../config/server-url.ts';
import type { CliSettingKey, CliSettings } from '../config/settings.ts';
import { usageError } from '../errors.ts';
import { unreadableFileError } from '../io/file-errors.ts';
import { distrustError } from '../io/user-folders.ts';

/** Resolves the TLS options; undefined for the defaults. @throws CliError (exit 2) for invalid files */
export async function resolveTls(settings: CliSettings): Promise<TlsOptions | undefined> {
  const caFile = readSettingFile('ca-file', settings);
  const cert = readSettingFile('client-cert', settings);
  const key = readSettingFile('client-key', settings);
  if ((cert === undefined) !== (key === undefined))
    throw usageError('A client certificate requires its private key.', 'Pass both --client-cert and --client-key.');
  if (caFile === undefined && cert === undefined) return undefined;
  if (caFile !== undefined && !caFile.includes('-----BEGIN CERTIFICATE-----'))
    throw usageError(`${settings.get('ca-file')?.value} contains no PEM certificate.`);
  return {
    // The `ca` option replaces the default CAs, so they are added to it.
    ...(caFile === undefined ? {} : { ca: [...(await readDefaultRoots(settings)), caFile] }),
    ...(cert === undefined ? {} : { cert, key }),
  };
}

function readSettingFile(key: CliSettingKey, settings: CliSettings): string | undefined {
  const { value: file, origin } = settings.get(key) ?? {};
  if (file === undefined) return undefined;
  const problem = readFileTrust(settings.variables).findSecretProblem(file);
  if (problem) throw distrustError(problem);
  try {
    return readTextFileSync(file, maxTextBytes);
  } catch (error) {
    throw unreadableFileError(file, error, origin);
  }
}

/** The CAs of Node and NODE_EXTRA_CA_CERTS. */
async function readDefaultRoots({ variables }: CliSettings): Promise<readonly string[]> {
  // Loading TLS takes up to 20 ms, and few commands need it.
  const { rootCertificates } = await import('node:tls');
  const { NODE_EXTRA_CA_CERTS: file } = variables;
  if (!file) return rootCertificates;
  try {
    return [...rootCertificates, readTextFileSync(file, maxTextBytes)];
  } catch {
    // Node only prints a warning for an unreadable file.
    return rootCertificates;
  }
}

/**
 * Resolves the proxy for requests to a server. `--proxy` applies to every server; a proxy from the environment or a
 * profile applies to all but this machine and the hosts in NO_PROXY.
 */
export function resolveProxy(settings: CliSettings, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const target = new URL(baseUrl);
  const named = settings.get('proxy');
  if (named?.origin === '--proxy') return assertProxyUrl(named.value, named.origin);
  if (isLoopbackUrl(target) || isNoProxyHost(target, readProxyVariable(settings, 'NO_PROXY'))) return undefined;
  if (named) return named.value === '' ? undefined : assertProxyUrl(named.value, named.origin);
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const usual = readProxyVariable(settings, name);
  return usual ? assertProxyUrl(usual, name) : undefined;
}

/** Both spellings are common; lower case takes precedence. */
function readProxyVariable({ variables }: CliSettings, name: string): string | undefined {
  return variables[name.toLowerCase()] || variables[name];
}

function assertProxyUrl(value: string, origin: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw usageError(`The proxy ${JSON.stringify(stripUserInfo(value))} (${origin}) must be an http or https URL.`);
}

/** Whether a server is on this machine. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
}

/**
 * `NO_PROXY=host,.domain,host:8443,2001:db8::1,[2001:db8::1]:8443,*`: a domain includes its subdomains. undici's
 * EnvHttpProxyAgent matches IPv6 addresses only in brackets, and `*` only alone.
 */
function isNoProxyHost(target: URL, list = ''): boolean {
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  const names = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  return names.some((name) => {
    if (name === '*') return true;
    const [, host = '', onlyPort] = (isIPv6(name) ? undefined : /^(.*?)(?::(\d+))?$/.exec(name)) ?? ['', name];
    if (onlyPort !== undefined && onlyPort !== port) return false;
    const domain = normalizeAddress(host.replace(/^\*?\./, ''));
    return domain !== '' && (target.hostname === domain || target.hostname.endsWith(`.${domain}`));
  });
}

/** An IPv6 address, with or without brackets, as a URL writes it; any other name is returned unchanged. */
function normalizeAddress(host: string): string {
  const url = `http://[${host.replace(/^\[(.*)\]$/, '$1')}]`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}

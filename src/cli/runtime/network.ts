/** The way that calls take: through a proxy or not, whom they trust, and the certificate that they show. */
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { TlsOptions } from '../../client/transport.ts';
import { unreadableFileError, usageError } from './errors.ts';
import { stripUserInfo } from './redact.ts';
import { type CliSettingKey, resolveSetting, type SettingSources } from './settings.ts';

/** What the settings say about the connections; nothing where they say nothing. */
export function resolveTls(sources: SettingSources): TlsOptions | undefined {
  const caFile = readSettingFile('ca-file', sources);
  const cert = readSettingFile('client-cert', sources);
  const key = readSettingFile('client-key', sources);
  if ((cert === undefined) !== (key === undefined))
    throw usageError('A client certificate goes with its key.', 'Give both --client-cert and --client-key.');
  if (caFile === undefined && cert === undefined) return undefined;
  if (caFile !== undefined && !caFile.includes('-----BEGIN CERTIFICATE-----'))
    throw usageError(`${resolveSetting('ca-file', sources)?.value} holds no certificate in PEM.`);
  return {
    // What is given takes the place of the usual ones, so they are given along.
    ...(caFile === undefined ? {} : { ca: [...defaultRoots(sources), caFile] }),
    ...(cert === undefined ? {} : { cert, key }),
  };
}

function readSettingFile(key: CliSettingKey, sources: SettingSources): string | undefined {
  const { value: file, origin } = resolveSetting(key, sources) ?? {};
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadableFileError(file, error, origin);
  }
}

/** Those of Node, and those that NODE_EXTRA_CA_CERTS adds to them. */
function defaultRoots({ variables }: SettingSources): readonly string[] {
  const { NODE_EXTRA_CA_CERTS: file } = variables;
  if (!file) return tls.rootCertificates;
  try {
    return [...tls.rootCertificates, readFileSync(file, 'utf8')];
  } catch {
    // Node itself only warns of it.
    return tls.rootCertificates;
  }
}

/**
 * The proxy for calls to a server, if any: `--proxy` for every one; what the environment or a profile names for all but
 * this machine and what NO_PROXY lists.
 */
export function resolveProxy(sources: SettingSources, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const target = new URL(baseUrl);
  const named = resolveSetting('proxy', sources);
  if (named?.origin === '--proxy') return assertProxyUrl(named.value, named.origin);
  if (isLoopbackUrl(target) || isNoProxyHost(target, readProxyVariable(sources, 'NO_PROXY'))) return undefined;
  if (named) return named.value === '' ? undefined : assertProxyUrl(named.value, named.origin);
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const usual = readProxyVariable(sources, name);
  return usual ? assertProxyUrl(usual, name) : undefined;
}

/** Both ways of writing are usual, and the lower case goes first. */
function readProxyVariable({ variables }: SettingSources, name: string): string | undefined {
  return variables[name.toLowerCase()] || variables[name];
}

function assertProxyUrl(value: string, origin: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw usageError(`The proxy ${JSON.stringify(stripUserInfo(value))} (${origin}) is no http or https URL.`);
}

/** Whether a server is on this machine. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
}

/** `NO_PROXY=host,.domain,host:8443,*`: a domain means its hosts as well. */
function isNoProxyHost(target: URL, list = ''): boolean {
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  const names = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  return names.some((name) => {
    if (name === '*') return true;
    const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(name) ?? [];
    if (onlyPort !== undefined && onlyPort !== port) return false;
    const domain = host.replace(/^\*?\./, '');
    return domain !== '' && (target.hostname === domain || target.hostname.endsWith(`.${domain}`));
  });
}

/** Blocks credentials on unencrypted connections to other hosts, unless the user allows them. */
import type { OutgoingRequest } from '../../client/request.ts';
import { stripUserInfo } from '../config/server-url.ts';
import type { CliSettings } from '../config/settings.ts';
import { CliError, usageError } from '../errors.ts';
import { isLoopbackUrl, resolveProxy } from './network.ts';
import type { FindRequestFields } from './redact.ts';
import { isOpenRequest } from './redact.ts';

/**
 * Call it before credentials are read or prompted for, and for each request that contains some.
 * @throws CliError (exit 2) if they would be sent over a network in clear text
 */
export function assertConfidential(settings: CliSettings, baseUrl: string): void {
  const clearText = describeClearText(settings, baseUrl);
  if (clearText === undefined || isInsecureHttpAllowed(settings)) return;
  const { origin } = settings.get('base-url') ?? {};
  throw new CliError(`${clearText} (${origin}), so credentials would be sent unencrypted; none were sent.`, {
    code: 'INSECURE_HTTP',
    exitCode: 2,
    hint: 'Use an https URL. If you trust the network, add --insecure-http or set IAM_INSECURE_HTTP=true.',
  });
}

/** Creates a guard that rejects requests with credentials in clear text before a connection is opened. */
export function createConfidentialityGuard(
  settings: CliSettings,
  baseUrl: string,
  fieldsAt: FindRequestFields,
): (request: OutgoingRequest) => void {
  return (request) => {
    if (describeClearText(settings, baseUrl) === undefined) return;
    // Any field that logs hide may be a credential.
    if (!isOpenRequest(request, fieldsAt(request.method, request.path))) assertConfidential(settings, baseUrl);
  };
}

/** Describes how requests leave this machine in clear text; undefined if they do not. */
function describeClearText(settings: CliSettings, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const target = new URL(baseUrl);
  if (target.protocol === 'https:') return undefined;
  const name = `${target.protocol}//${target.host}${target.pathname.replace(/\/+$/, '')}`;
  if (!isLoopbackUrl(target)) return `${name} is an http URL of another host`;
  // `--proxy` also applies to loopback addresses, and to the proxy 127.0.0.1 is its own host.
  const proxy = resolveProxy(settings, baseUrl);
  if (proxy === undefined || isLoopbackUrl(new URL(proxy))) return undefined;
  return `${name} is an http URL behind the proxy ${stripUserInfo(proxy)}`;
}

/** Only an explicit true allows it. @throws CliError (exit 2) for other values than true or false */
function isInsecureHttpAllowed(settings: CliSettings): boolean {
  const { value = '', origin } = settings.get('insecure-http') ?? {};
  if (/^(true|yes|on|1)$/i.test(value)) return true;
  if (/^(false|no|off|0)$/i.test(value)) return false;
  throw usageError(`${origin} must be true or false, not ${JSON.stringify(value)}.`);
}

/** Keeps credentials off unencrypted connections to other hosts, unless the user allowed that. */
import type { OutgoingRequest } from '../../client/request.ts';
import { CliError, usageError } from './failures.ts';
import { isLoopback, proxyFor } from './network.ts';
import { isOpenRequest, withoutUserInfo } from './redact.ts';
import type { FindRequestFields } from './request-fields.ts';
import { resolve, type Sources } from './settings.ts';

/**
 * To be called before credentials are read or asked for, and again for each request that carries some.
 * @throws CliError (exit 2) where they would cross a network in clear text
 */
export function assertConfidential(sources: Sources, baseUrl: string): void {
  const way = clearTextWay(sources, baseUrl);
  if (way === undefined || isAllowed(sources)) return;
  const { origin } = resolve('base-url', sources) ?? {};
  throw new CliError(`${way} (${origin}), so credentials would cross the network unencrypted; none were sent.`, {
    code: 'INSECURE_HTTP',
    exitCode: 2,
    fix: 'Use an https URL. If you trust the network, add --insecure-http or set IAM_INSECURE_HTTP=true.',
  });
}

/** Refuses requests that carry credentials in clear text, before a connection is opened. */
export function confidentialityGuard(
  sources: Sources,
  baseUrl: string,
  fieldsAt: FindRequestFields,
): (request: OutgoingRequest) => void {
  return (request) => {
    if (clearTextWay(sources, baseUrl) === undefined) return;
    // What traces hide may be a credential.
    if (!isOpenRequest(request, fieldsAt(request.method, request.path))) assertConfidential(sources, baseUrl);
  };
}

/** How calls leave this machine in clear text, in words; nothing where they do not. */
function clearTextWay(sources: Sources, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const target = new URL(baseUrl);
  if (target.protocol === 'https:') return undefined;
  const name = `${target.protocol}//${target.host}${target.pathname.replace(/\/+$/, '')}`;
  if (!isLoopback(target)) return `${name} is an http URL of another host`;
  // `--proxy` also applies to loopback addresses, and what it calls 127.0.0.1 is its own host.
  const proxy = proxyFor(sources, baseUrl);
  if (proxy === undefined || isLoopback(new URL(proxy))) return undefined;
  return `${name} is an http URL behind the proxy ${withoutUserInfo(proxy)}`;
}

/** Only a plain yes allows it. */
function isAllowed(sources: Sources): boolean {
  const { value = '', origin } = resolve('insecure-http', sources) ?? {};
  if (/^(true|yes|on|1)$/i.test(value)) return true;
  if (/^(false|no|off|0)$/i.test(value)) return false;
  throw usageError(`${origin} must be true or false, not ${JSON.stringify(value)}.`);
}

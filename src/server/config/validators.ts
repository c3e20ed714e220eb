/** Validators of settings. A message continues a sentence that starts with the setting name. */
import type * as z from 'zod';
import { describeEmailProblem, normalizeEmail } from '../../contract/email/email-address.ts';
import { NewId, singleLine } from '../../contract/schemas/primitives.ts';
import { isAddressOrNetwork } from '../lib/ip-networks.ts';
import { validatePasswordLength } from '../lib/password-length.ts';

type Validator = (value: string) => string | undefined;

function validatorFor(schema: z.ZodType): Validator {
  return (value) => schema.safeParse(value).error?.issues[0]?.message;
}

export const validateId = validatorFor(NewId);
export const validateUserName = validatorFor(singleLine(100, 'Login name'));
export const validateEmail: Validator = (value) => describeEmailProblem(normalizeEmail(value));
/** Checks the length only; the bootstrap checks the rules that depend on the user. */
export const validatePassword: Validator = validatePasswordLength;

export const validateBaseUrl: Validator = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return /[?#]/.test(value) || url.username || url.password ? 'must have no query, fragment or user' : undefined;
};

/** The value contains a password, so messages never repeat it. */
export const validateSmtpUrl: Validator = (value) =>
  URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol) ? undefined : 'must be an smtp or smtps URL';

/** The value contains a password, so messages never repeat it. What it means is checked when the database is opened. */
export const validateSecretDatabaseUrl: Validator = (value) => {
  const urls = splitDatabaseUrls(value);
  if (!urls.every(isDatabaseUrl))
    return 'must be a URL such as postgres://user@host:5432/database, one with several hosts, or several separated by commas';
  return urls.every(namesPrimary)
    ? undefined
    : 'must have no target_session_attrs but read-write, primary or any: only the host that accepts writes is used';
};

/** On a command line everybody on the machine sees a password. */
export const validateDatabaseUrl: Validator = (value) =>
  validateSecretDatabaseUrl(value) ??
  (splitDatabaseUrls(value).some((url) => new URL(url).password !== '')
    ? 'must not contain a password: set IAM_DATABASE_URL instead'
    : undefined);

function isDatabaseUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol);
}

/** The values of libpq that a host which accepts writes satisfies. */
const primaryAttributes = ['read-write', 'primary', 'any'];

function namesPrimary(url: string): boolean {
  const attributes = new URL(url).searchParams.getAll('target_session_attrs');
  return attributes.every((attribute) => primaryAttributes.includes(attribute));
}

/**
 * The addresses, with one host each. Several URLs are separated by commas, as are the hosts of one in the form of libpq
 * (PostgreSQL documentation, 32.1.1.2).
 */
export function splitDatabaseUrls(text: string): readonly string[] {
  return text.split(/,(?=postgres(?:ql)?:\/\/)/).flatMap(splitHosts);
}

function splitHosts(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}

export const validateSchemaName: Validator = (value) =>
  /^[a-z_][a-z0-9_]{0,62}$/.test(value) ? undefined : 'must consist of lower-case letters, digits and underscores';

export const validatePattern: Validator = (value) => {
  try {
    new RegExp(value, 'u');
    return undefined;
  } catch {
    return 'must be a regular expression';
  }
};

/** Requires the serialized form that browsers send. */
export const validateOrigin: Validator = (value) =>
  URL.canParse(value) && new URL(value).origin === value
    ? undefined
    : 'must contain origins such as https://app.example, in lower case and without a path';

export const validateNetwork: Validator = (value) =>
  isAddressOrNetwork(value) ? undefined : 'must contain IP addresses or CIDR blocks such as 10.0.0.0/8';

/** A host name without port, as the port of Host is ignored. */
export const validateHostName: Validator = (value) =>
  /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/.test(value)
    ? undefined
    : 'must contain host names such as host.docker.internal, without a port';

/** Whether an address can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** RFC 6761, 6.3: `localhost` and the names below it never leave the machine. */
export function isLocalName(name: string): boolean {
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

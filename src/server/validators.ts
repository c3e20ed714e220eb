/** What values of settings must be; each check says what is wrong in words that follow the name of the setting. */
import type * as z from 'zod';
import { NewId, singleLine } from '../contract/schemas.ts';
import { isProxyAddress } from './http/request-source.ts';
import { validatePasswordLength } from './identity/password-policy.ts';

type Validator = (value: string) => string | undefined;

function validatorFor(schema: z.ZodType): Validator {
  return (value) => schema.safeParse(value).error?.issues[0]?.message;
}

export const validateId = validatorFor(NewId);
export const validateUserName = validatorFor(singleLine(100, 'Login name'));
export const validateEmail: Validator = (value) =>
  /^[^@\s]+@[^@\s]+$/.test(value) ? undefined : 'must be an e-mail address';
/** What else a password must be depends on whose it is; the first start checks that. */
export const validatePassword: Validator = validatePasswordLength;

export const validateBaseUrl: Validator = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return /[?#]/.test(value) || url.username || url.password ? 'must have no query, fragment or user' : undefined;
};

/** Whatever is wrong with it, the value holds a password and is not repeated. */
export const validateSmtpUrl: Validator = (value) =>
  URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol) ? undefined : 'must be an smtp or smtps URL';

export const validatePattern: Validator = (value) => {
  try {
    new RegExp(value, 'u');
    return undefined;
  } catch {
    return 'must be a regular expression';
  }
};

/** As browsers send it; anything else would never match. */
export const validateOrigin: Validator = (value) =>
  URL.canParse(value) && new URL(value).origin === value
    ? undefined
    : 'takes origins such as https://app.example, in lower case and without a path';

export const validateProxyAddress: Validator = (value) =>
  isProxyAddress(value) ? undefined : 'takes IP addresses and CIDR blocks such as 10.0.0.0/8';

/** Without a port, which Host is not compared by. */
export const validateHostName: Validator = (value) =>
  /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/.test(value)
    ? undefined
    : 'takes host names such as host.docker.internal, without a port';

/** Whether only this machine reaches the address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

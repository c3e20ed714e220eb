/** Reads the credentials of a request, without verifying them. */

import { apiError, type IamError } from '../../contract/errors.ts';
import { isStorableText } from '../lib/storable-text.ts';
import { basicChallenge } from '../tokens/authentication-error.ts';

export interface BasicCredentials {
  readonly name: string;
  readonly secret: string;
}

export interface RequestCredentials {
  readonly basic?: BasicCredentials;
  /** For user logins: the user's name and password. */
  readonly userBasicAuth?: BasicCredentials;
  readonly bearer?: string;
  readonly apiKey?: string;
  /** ?clientId= of the query. */
  readonly clientId?: string;
}

/** The parts of a request that credentials are read from. Repeated headers come as arrays. */
export interface CredentialSource {
  readonly authorization: string | undefined;
  readonly apiKey: string | readonly string[] | undefined;
  readonly clientIds: readonly string[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws IamError if a header is repeated, several kinds of credentials are sent, or a credential is malformed. */
export function readCredentials(source: CredentialSource, { userBasicAuth = false } = {}): RequestCredentials {
  const { authorization, apiKey, clientIds } = source;
  if (typeof apiKey === 'object') throw apiError('CREDENTIALS_AMBIGUOUS', 'The X-Api-Key header is repeated.');
  if (authorization !== undefined && apiKey !== undefined)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'The request has both Authorization and X-Api-Key.');
  if (clientIds.length > 1 && new Set(clientIds).size > 1)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'The query parameter clientId is repeated with different values.');
  const [clientId] = clientIds;
  if (clientId !== undefined && !isStorableText(clientId))
    throw createMalformedError('The query parameter clientId is not the id of a client.');
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authorization === undefined
      ? {}
      : userBasicAuth
        ? readUserAuthorization(authorization)
        : readAuthorization(authorization)),
  };
}

/** RFC 9110, 11.6.2: a case-insensitive scheme and its credentials. */
function readAuthorization(value: string): RequestCredentials {
  const text = value.trim();
  const space = text.indexOf(' ');
  const scheme = (space < 0 ? text : text.slice(0, space)).toLowerCase();
  const rest = space < 0 ? '' : text.slice(space).trimStart();
  if (scheme === 'bearer') return { bearer: rest };
  if (scheme === 'basic') return { basic: readBasic(rest) };
  throw createMalformedError('The Authorization scheme is neither Basic nor Bearer.');
}

/** A bearer token authenticates the client; any other value is the pair of the user, with or without the scheme Basic. */
function readUserAuthorization(value: string): RequestCredentials {
  const [, scheme = '', rest = ''] = /^([^ ]+) +([^ ].*)$/.exec(value.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { bearer: rest };
  return { userBasicAuth: readBasic(scheme.toLowerCase() === 'basic' ? rest : value.trim()) };
}

/** RFC 7617: base64 of name, colon, secret; the secret may contain colons. */
function readBasic(encoded: string): BasicCredentials {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) throw createMalformedBasicError();
  const pair = decodeBase64(encoded);
  const colon = pair.indexOf(':');
  if (colon <= 0) throw createMalformedBasicError();
  // RFC 7617 allows no control characters; U+0000 cannot be stored.
  if (!isStorableText(pair)) throw createMalformedError('The credentials in the Authorization header contain U+0000.');
  return { name: pair.slice(0, colon), secret: pair.slice(colon + 1) };
}

function decodeBase64(encoded: string): string {
  try {
    return decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    throw createMalformedError(
      'The credentials in the Authorization header are not UTF-8. Encode id and secret in UTF-8 before base64.',
    );
  }
}

function createMalformedBasicError(): IamError {
  return createMalformedError('The Authorization header does not contain base64 of an id, a colon and a secret.');
}

function createMalformedError(message: string): IamError {
  return apiError('CREDENTIALS_INVALID', message, { 'WWW-Authenticate': basicChallenge });
}

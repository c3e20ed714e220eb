/** Requests to identity providers: bounded in size and time, without redirects. */
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import * as z from 'zod';
import { apiError, type IamError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/json-text.ts';
import { readTextStream } from '../../lib/text-file.ts';
import { AddressNotAllowedError, type OutgoingFetch } from '../lib/outgoing-fetch.ts';

const maxDocumentBytes = 256 * 1024;

export interface ProviderRequestOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly fetch: OutgoingFetch;
  /** Sent by POST; by default the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
}

/** The provider responded with a status other than 200. */
export class ProviderStatusError extends Error {
  readonly status: number;

  constructor(status: number, errorName = '') {
    super(`the response has status ${status}${errorName && ` and the error ${errorName}`}`);
    this.status = status;
  }
}

/** @throws Error on timeout, a redirect, another status than 200, a document that is too long, or invalid JSON, also with repeated members. */
export async function fetchDocument(url: string, { timeout, fetch, form }: ProviderRequestOptions): Promise<unknown> {
  const { statusCode, body } = await fetch(url, {
    headers: {
      accept: 'application/jwk-set+json, application/json',
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form).toString() }),
    signal: AbortSignal.timeout(timeout),
  });
  // A body that is not read to its end reports that it was aborted.
  body.on('error', () => undefined);
  if (statusCode !== 200) {
    const errorName = form === undefined ? undefined : await readOauthError(body);
    body.destroy();
    throw new ProviderStatusError(statusCode, errorName);
  }
  return parseJson(await readTextStream(body, maxDocumentBytes));
}

const OauthError = z.object({ error: z.string() });

/** The name of the error of an OAuth endpoint (RFC 6749, 5.2); undefined for any other body. */
async function readOauthError(body: Readable): Promise<string | undefined> {
  try {
    return findErrorName(OauthError.parse(parseJson(await readTextStream(body, maxDocumentBytes))).error);
  } catch {
    return undefined;
  }
}

/** A registered name has this form. Another text could be anything, and is in no log. */
export function findErrorName(error: string): string | undefined {
  return /^[a-z_]{1,40}$/.test(error) ? error : undefined;
}

/** Why the address must not be requested, for operators; undefined for other failures. */
export function findRefusal(error: unknown): string | undefined {
  return error instanceof AddressNotAllowedError ? error.message : undefined;
}

export function createUnavailableError(refusal: string | undefined): IamError {
  const error = apiError('PROVIDER_UNAVAILABLE');
  return refusal === undefined ? error : error.withReason({ text: refusal });
}

/** Without the stack: each login with an unreachable or refused provider logs it. */
export function describeFailure(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as Partial<Error>;
  return types.isNativeError(cause) ? `${message}: ${cause.message}` : message;
}

/** Requests to identity providers: bounded in size and time, without redirects. */
import { types } from 'node:util';
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

  constructor(status: number) {
    super(`the response has status ${status}`);
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
    body.destroy();
    throw new ProviderStatusError(statusCode);
  }
  return parseJson(await readTextStream(body, maxDocumentBytes));
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

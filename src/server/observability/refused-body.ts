/**
 * The bodies of refused requests, for the request log: their operations read no body of a caller that lacks a role. A test
 * feature, as the server otherwise parses nothing of strangers.
 */
import { IamError } from '../../contract/errors.ts';
import { readFormOrJson, readJson } from '../http/request-body.ts';
import type { RequestState } from '../http/request-state.ts';
import { maxBodyLength, type RequestLogRecord } from './request-log.ts';

/** Completes the record once the body arrives, which Node would discard: after the response, so that it waits for nothing. */
export function receiveRefusedBody({ request, operation }: RequestState, record: RequestLogRecord): void {
  const { bodyState, bodyLength, errors } = record;
  // Without Content-Length the size of the record would change.
  if (bodyState !== 'not-read' || bodyLength === 0 || errors.length === 0 || !operation?.request.body) return;
  const { form, repeatable } = operation.request;
  const body = form ? readFormOrJson(request, maxBodyLength, repeatable) : readJson(request, maxBodyLength);
  body.then(
    (value) => {
      record.body = value;
      record.bodyState = 'read';
    },
    (error: unknown) => {
      if (!(error instanceof IamError) || error.code !== 'REQUEST_TIMEOUT') record.bodyState = 'not-json';
    },
  );
}

/** What the code of a network failure says about the request. */
import { NetworkError } from '../../client/errors.ts';
import { getNetworkExitCode } from '../exit-codes.ts';

/** Whether it can pass without a change of the settings. */
export function isTransientNetworkError({ code }: NetworkError): boolean {
  return getNetworkExitCode(code) === 75;
}

/** Codes of a connection that was closed without an answer, or with one that is not HTTP. */
const lostAnswerCodes: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'HPE_INVALID'];

export function describesLostAnswer(failure: unknown): boolean {
  return failure instanceof NetworkError && lostAnswerCodes.includes(failure.code);
}

/** The code of an http request to a port that expects TLS. */
export const tlsExpectedCode = 'TLS_EXPECTED';

/** The code of a base URL where the service does not answer. */
export const serviceMissingCode = 'SERVICE_MISSING';

/** The code of a connection that is still refused after the time of `--max-wait`. */
export const stillRefusedCode = 'STILL_REFUSED';

/** With TLS 1.3 the alert about the certificate of a client arrives after its first request (RFC 8446, 4.4.2.4). */
const certificateAlerts: readonly string[] = [
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
  'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
];

/** Whether the server ended the connection before it read the request. */
export function isAnswerRejected({ code }: NetworkError): boolean {
  return code === tlsExpectedCode || code === serviceMissingCode || certificateAlerts.includes(code);
}

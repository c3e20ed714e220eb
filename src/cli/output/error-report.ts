/** Error reports for people and programs, with exit codes. */
import { CommanderError } from 'commander';
import { ClientError, type ClientErrorItem, type ErrorDetails, InputError, NetworkError } from '../../client/errors.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { formatRoleHint } from '../../contract/roles.ts';
import {
  CliError,
  ControlPlaneError,
  type ErrorTable,
  errorEntryOf,
  HintedClientError,
  otherServerHint,
  PromptCanceledError,
  QuietExit,
  UnknownOutcomeError,
} from '../errors.ts';
import { getExitCode, getNetworkExitCode } from '../exit-codes.ts';
import { escapeControls, jsonText } from '../io/control-characters.ts';
import { describeFileError, isFileError } from '../io/file-errors.ts';
import { type Environment, getTerminalWidth, type Io } from '../io/io.ts';
import { addServerOptions } from './hint-commands.ts';
import { hangingIndent } from './table.ts';

export interface ErrorReport {
  readonly code: string;
  /** On one line. */
  readonly message: string;
  /** The lines of the message, if the command set them. Line breaks from the server are escaped. */
  readonly lines?: readonly string[] | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly items: readonly ClientErrorItem[];
  /** Whether the same request can succeed later. */
  readonly transient: boolean;
  readonly hint?: string | undefined;
  readonly exitCode: number;
  /** The data of the first item, or of an error of the command. */
  readonly details?: ErrorDetails | Readonly<Record<string, unknown>> | undefined;
  /** The argument that it is about, if the command has several. */
  readonly target?: string;
  /** Nothing is printed, because the command printed the reason. */
  readonly quiet?: boolean;
}

/**
 * Creates the report of a thrown value.
 * @param serverOptions the options of the command line that select the server, for commands in hints: ` --profile p`
 */
export function createErrorReport(error: unknown, known: ErrorTable, serverOptions = ''): ErrorReport {
  const report = createPlainReport(error, known);
  return report.hint === undefined ? report : { ...report, hint: addServerOptions(report.hint, serverOptions) };
}

function createPlainReport(error: unknown, known: ErrorTable): ErrorReport {
  if (error instanceof ClientError) return fromClientError(error, known);
  if (error instanceof NetworkError) return fromNetworkError(error);
  if (error instanceof UnknownOutcomeError) return fromUnknownOutcome(error);
  if (error instanceof CliError) return fromCliError(error);
  if (error instanceof QuietExit) return { ...createBaseReport('EXIT', '', error.exitCode), quiet: true };
  if (error instanceof InputError) return createBaseReport('USAGE', error.message, 2);
  if (error instanceof CommanderError) return fromCommanderError(error);
  if (error instanceof PromptCanceledError) return createBaseReport('INTERRUPTED', 'Interrupted.', 130);
  if (isFileError(error)) return { ...createBaseReport('FILE_ERROR', '', 70), ...describeFileError(error) };
  return createBaseReport('FAILED', error instanceof Error ? error.message : String(error), 70);
}

function createBaseReport(code: string, message: string, exitCode: number): ErrorReport {
  return { code, message, items: [], transient: exitCode === 75, exitCode };
}

function fromCliError({ code, message, lines, exitCode, hint, details }: CliError): ErrorReport {
  return { ...createBaseReport(code, message, exitCode), lines, hint, ...(details === undefined ? {} : { details }) };
}

function fromUnknownOutcome(error: UnknownOutcomeError): ErrorReport {
  const { status, requestId, items = [] } = error.response ?? {};
  return { ...fromCliError(error), status, requestId, items };
}

function fromClientError(error: ClientError, table: ErrorTable): ErrorReport {
  const entry = errorEntryOf(table, error.code);
  const exitCode = getExitCode(error.status, entry);
  const later = exitCode === 75 ? 'Try again later.' : undefined;
  const retry = error.retryAfter === undefined ? later : `Try again in ${error.retryAfter} s.`;
  const isOtherServer = error.items.length === 0 && exitCode === 70;
  const hinted = error instanceof HintedClientError ? error.hint : roleHint(error);
  const own = isOtherServer ? otherServerHint : hinted;
  const sentences = [retry, own ?? entry?.hint, whyHint(error)];
  const hint = sentences.filter((sentence) => sentence !== undefined).join(' ') || undefined;
  const { status, requestId, items, details } = error;
  return { ...createBaseReport(error.code, error.message, exitCode), status, requestId, items, details, hint };
}

/** For a missing role: the role with the groups that grant it, or that no group can grant it. */
function roleHint({ code, details }: ClientError): string | undefined {
  const { missingRoles = [], missingScopes = [], grantedByGroups = [] } = details ?? {};
  if (code !== 'ROLE_MISSING') return undefined;
  // The server names groups only to callers that may list them, and at most five.
  const hint = formatRoleHint({ missingRoles, missingScopes }, grantedByGroups);
  return hint && escapeControls(hint);
}

const explainedCodes: readonly string[] = ['ROLE_MISSING', 'MFA_MISSING'] satisfies ErrorCode[];

/** For a missing role or second factor: the command that explains the request. */
function whyHint(error: ClientError): string | undefined {
  if (!explainedCodes.includes(error.code) || error.requestId === undefined) return undefined;
  if (error instanceof ControlPlaneError) return undefined;
  return `Explain it with \`iam why ${escapeControls(error.requestId)}\`.`;
}

const lostConnectionHint = 'Try again.';
const checkProxyHint = 'Check --proxy, IAM_PROXY and the variables HTTPS_PROXY and HTTP_PROXY.';
const notTlsHint = 'If the server does not use TLS, set --base-url to an http URL.';

function fromNetworkError(error: NetworkError): ErrorReport {
  const hints: Readonly<Record<string, string>> = {
    ECONNREFUSED:
      'Start the server with `iam serve`, set --base-url or IAM_BASE_URL, or wait for it with --max-wait SECONDS.',
    STILL_REFUSED: 'Start the server with `iam serve`, or set --base-url or IAM_BASE_URL.',
    SERVICE_MISSING: 'Check --base-url or IAM_BASE_URL: the URL of the service ends before /security/iam/v1.',
    ECONNRESET: lostConnectionHint,
    UND_ERR_SOCKET: lostConnectionHint,
    HPE_INVALID: 'Check the port of --base-url; a server with TLS needs an https URL.',
    ERR_SSL_WRONG_VERSION_NUMBER: notTlsHint,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: notTlsHint,
    ERR_TLS_CERT_ALTNAME_INVALID: 'Set --base-url to a host name of the certificate.',
    CERT_HAS_EXPIRED: 'Renew the certificate of the server, and check the clock of this machine.',
    CERT_NOT_YET_VALID: 'Check the clock of this machine, and the certificate of the server.',
    TIMEOUT: 'Try again, or increase the limit with --timeout.',
    TLS_EXPECTED: 'Set --base-url to the https URL of the server.',
    PROXY_UNAVAILABLE: checkProxyHint,
    PROXY_REJECTED: checkProxyHint,
  };
  return {
    ...createBaseReport('NETWORK', error.message, getNetworkExitCode(error.code)),
    hint: hints[error.code] ?? getCertificateHint(error.code) ?? 'Check --base-url and the network, then try again.',
  };
}

/** OpenSSL's codes for a chain without a trusted root (X509_verify_cert_error_string). */
const untrusted: readonly string[] = [
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

function getCertificateHint(code: string): string | undefined {
  if (!untrusted.includes(code)) return undefined;
  return 'Trust its certificate authority with --ca-file or IAM_CA_FILE.';
}

/** The hint of a usage error. @param suggestion what was meant probably */
export function withUsageHint(suggestion?: string): string {
  return `${suggestion === undefined ? '' : `${suggestion} `}Add --help to see the usage.`;
}

function fromCommanderError(error: CommanderError): ErrorReport {
  const isQuiet = error.exitCode === 0 || error.code === 'commander.help';
  // Commander prints "(Did you mean one of a, b?)" on a separate line.
  const [, message = '', suggestion] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(error.message) ?? [];
  return {
    ...createBaseReport('USAGE', message, error.exitCode === 0 ? 0 : 2),
    hint: withUsageHint(suggestion),
    quiet: isQuiet,
  };
}

export interface ErrorReportStyle {
  readonly json: boolean;
  readonly colour?: string | undefined;
}

/** Writes a report to standard error. */
export async function printErrorReport(
  report: ErrorReport,
  io: Io,
  environment: Environment,
  style: ErrorReportStyle,
): Promise<void> {
  if (report.quiet) return;
  const text = style.json ? formatJsonReport(report) : await formatTextReport(report, io, environment, style.colour);
  io.stderr.write(`${text}\n`);
}

function formatJsonReport({ exitCode: _, quiet: _quiet, lines, ...error }: ErrorReport): string {
  const { code, message: line, status, requestId, items, transient, hint, ...more } = error;
  const message = lines?.join('\n') ?? line;
  return jsonText({ error: { code, message, status, requestId, items, transient, hint, ...more } });
}

async function formatTextReport(
  report: ErrorReport,
  io: Io,
  environment: Environment,
  mode: string | undefined,
): Promise<string> {
  // Loaded for errors only: chalk takes 8 ms to detect the terminal.
  const { createColours } = await import('../io/colour.ts');
  const paint = createColours(io.stderr, environment, mode);
  const width = getTerminalWidth(io.stderr);
  const line = (heading: string, text: string) => hangingIndent(`  ${heading.padEnd(9)}`, escapeControls(text), width);
  const server = report.status === undefined ? [] : [await line('reason', `${report.code} (${report.status})`)];
  const others = await Promise.all(report.items.slice(1).map((item) => line('and', `${item.message} ${item.code}`)));
  const request = report.requestId === undefined ? [] : [await line('request', report.requestId)];
  const hint = report.hint === undefined ? [] : [await line('hint', report.hint)];
  const [first = '', ...more] = (report.lines ?? [report.message]).map(escapeControls);
  return [
    (await hangingIndent('error: ', first, width)).replace('error:', paint.red.bold('error:')),
    ...more,
    ...[...server, ...others, ...request].map((one) => paint.dim(one)),
    ...hint,
  ].join('\n');
}

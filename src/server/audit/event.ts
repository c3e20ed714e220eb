/**
 * Builds the audit event of a request from its operation's declaration and from the request record: actor, operation,
 * targets, rule and result. Reads only declared fields of a body.
 */

import type { AuditKind, AuditObject, AuditTargets } from '../../contract/audit.ts';
import { errorTable } from '../../contract/error-codes.ts';
import { type ErrorItem, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import type { Principal } from '../directory/principal.ts';
import { type Correlation, readCorrelation } from '../http/correlation.ts';
import { hasConsoleHeader } from '../http/fetch-metadata.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { CommittedChanges } from '../store/observe-commits.ts';
import type { ChangeDescriber, ChangeReport } from './changes.ts';

/** A client, a user or a logon: by ids, never by a secret. */
interface Party {
  readonly kind: 'anonymous' | 'client' | 'user' | 'logon' | 'various';
  readonly clientId?: string | undefined;
  readonly userId?: string | undefined;
  readonly logon?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Name of the user, or else the service account or application of the client. */
  readonly name?: string | undefined;
}

export interface AuditEvent extends Correlation {
  /** Of the service that recorded it. */
  readonly sequence?: number;
  readonly server?: string | undefined;
  /** UTC, by the clock of the server or of the sandbox. */
  readonly time: string;
  readonly event: AuditKind;
  /** Name of the sandbox, if any. */
  readonly sandbox?: string | undefined;
  readonly requestId: string;
  /** Undefined if the request was rejected before routing. */
  readonly operation?: string | undefined;
  readonly result: 'granted' | 'refused' | 'failed';
  /** Undefined if an injected fault closed the connection. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  /** Why the caller was rejected, in more detail than in the response. */
  readonly reason?: string | undefined;
  readonly actor: Party & { readonly authMethod?: string | undefined };
  /** Set if the web console sent the request. */
  readonly byConsole?: true | undefined;
  /** Whom the request concerns, if not the actor: who logged in, or whose credentials were invalid. */
  readonly subject?: Party | undefined;
  readonly targets?: AuditTargets | undefined;
  /** The objects that it changed or is about. */
  readonly objects?: readonly AuditObject[] | undefined;
  /** Set if it changed something; without changes, the clock, a session or other things that are no rows of the directory. */
  readonly changed?: true | undefined;
  /** What its committed transactions changed, as JSON, which V8 copies in less time than objects. It is `changes` in the log. */
  readonly changesText?: string | undefined;
  /** Set if changes or values are left out, as they are too many or too long. */
  readonly truncated?: true | undefined;
  /** The role expression that was evaluated. */
  readonly rule?: string | undefined;
  readonly remoteAddress: string;
  /** Number of further rejections like the one at `since`; the other fields are those of the latest one. */
  readonly repeated?: number;
  readonly since?: string;
}

export interface RecordedEvent extends AuditEvent {
  readonly sequence: number;
}

const noErrors: readonly ErrorItem[] = [];
const noCommits: readonly CommittedChanges[] = [];
/** The rule of the control plane on a server without remote access. */
const localRule = 'a program or page of this machine';

interface AuditContext {
  readonly clock: Clock;
  readonly isRemote: boolean;
  readonly sandbox: string | undefined;
  readonly describeChanges: ChangeDescriber;
}

/** Builds the event of a request; undefined for a request that is not recorded. */
export function buildAuditEvent(
  record: RequestState,
  status: number,
  { clock, isRemote, sandbox, describeChanges }: AuditContext,
): AuditEvent | undefined {
  const { operation, errors = noErrors } = record;
  const isRecorded = operation !== undefined && operation.audit.kind !== 'read';
  if (!isRecorded && !isCallerRejection(errors)) return undefined;
  const isAuthentication = isAuthenticationRejection(errors) || operation?.audit.kind === 'authentication';
  const correlation = readCorrelation(record.request.headers);
  const targets = collectTargets(record, isAuthentication);
  const subject = describeSubject(record);
  const report = describeChanges(record.commits ?? noCommits);
  const result = resultOf(record, errors);
  return {
    time: clock.now().toISOString(),
    event: isAuthentication ? 'authentication' : 'administration',
    sandbox,
    requestId: record.requestId,
    callerRequestId: correlation.callerRequestId,
    traceId: correlation.traceId,
    operation: operation?.id,
    result,
    status: record.dropped ? undefined : status,
    code: errors[0]?.code,
    reason: findReason(record, errors),
    actor: describeActor(record.caller),
    byConsole: isByConsole(record, isRemote) || undefined,
    subject,
    targets,
    objects: listObjects(record, report, { targets, subject }),
    changesText: report.changesText,
    changed: hasChanged(report) || (result === 'granted' && isChange(operation)) || undefined,
    truncated: report.isTruncated || undefined,
    rule: operation && describeRule(operation, record.path, isRemote),
    remoteAddress: record.source.address,
  };
}

function hasChanged({ changesText, isTruncated }: ChangeReport): boolean {
  return changesText !== undefined || isTruncated;
}

function isChange(operation: Operation<never> | undefined): boolean {
  return operation?.audit.kind === 'administration' && operation.audit.isChange === true;
}

function resultOf({ thrown, commits, issued }: RequestState, errors: readonly ErrorItem[]): AuditEvent['result'] {
  const natural = getDefaultStatus(errors);
  if (natural !== undefined) return natural >= 500 ? 'failed' : 'refused';
  // An injected fault, or a client that left, can end a request before the operation takes effect.
  return thrown === undefined || commits !== undefined || issued !== undefined ? 'granted' : 'failed';
}

function findReason({ thrown }: RequestState, [first]: readonly ErrorItem[]): string | undefined {
  const recorded = thrown instanceof IamError ? thrown.readReason()?.text : undefined;
  // Only messages are recorded that are known to contain no input: this one contains only roles.
  return recorded ?? (first?.code === 'ROLE_MISSING' ? first.message : undefined);
}

function describeActor(caller: Principal | undefined): AuditEvent['actor'] {
  if (!caller) return { kind: 'anonymous' };
  const { client, user, logon, session, authMethod } = caller;
  const kind = user ? 'user' : logon === undefined ? 'client' : 'logon';
  const name = user?.userName ?? client.serviceAccountId ?? client.appId;
  const ids = { clientId: client.clientId, userId: user?.userId, logon, sessionId: session?.sessionId };
  return { kind, name, ...ids, authMethod };
}

/** Where the control plane requires no credentials, the console sends none there: then its header has to do. */
function isByConsole({ isFromConsole, request, path }: RequestState, isRemote: boolean): boolean {
  return isFromConsole === true || (!isRemote && isControlPath(path) && hasConsoleHeader(request.headers));
}

/** The subject of the issued token, or else the known client or user that the rejected credentials name. */
function describeSubject({ issued, loggedIn, thrown }: RequestState): Party | undefined {
  if (issued) return issued.subject;
  const reason = thrown instanceof IamError ? thrown.readReason() : undefined;
  const { clientId, userId } = loggedIn ?? reason ?? {};
  if (clientId === undefined && userId === undefined) return undefined;
  return { kind: userId === undefined ? 'client' : 'user', clientId, userId };
}

/** Ignores the body of authentication events: with a rejected credential, any field may contain a password by mistake. */
function collectTargets(
  { targetReader, path, query, body, result, errors }: RequestState,
  isAuthentication: boolean,
): AuditTargets | undefined {
  return targetReader?.read({
    path,
    query,
    body: isAuthentication ? undefined : body,
    result: errors === undefined ? result : undefined,
  });
}

/** The changed objects, or else those that the targets and the subject identify. */
function listObjects(
  { targetReader }: RequestState,
  { objects }: ChangeReport,
  { targets, subject }: Pick<AuditEvent, 'targets' | 'subject'>,
): AuditEvent['objects'] {
  const named = objects.length > 0 || !targets ? objects : (targetReader?.toObjects(targets) ?? []);
  const { userId, clientId } = subject ?? {};
  const about =
    userId !== undefined
      ? [{ entity: 'user', id: userId } as const]
      : clientId !== undefined
        ? [{ entity: 'client', id: clientId } as const]
        : [];
  const all = [
    ...named,
    ...about.filter(({ entity, id }) => !named.some((one) => one.entity === entity && one.id === id)),
  ];
  return all.length === 0 ? undefined : all;
}

function describeRule({ rolesText }: Operation<never>, path: string, isRemote: boolean): string {
  return !isRemote && isControlPath(path) ? localRule : rolesText;
}

function isControlPath(path: string): boolean {
  return path.startsWith(`${controlPrefix}/`);
}

/** The status of the error table, independent of the statuses that the operation declares. */
function getDefaultStatus(errors: readonly ErrorItem[]): number | undefined {
  const [first] = errors;
  return first && (errorTable as Readonly<Record<string, { readonly status: number }>>)[first.code]?.status;
}

/** Whether a request was rejected for its caller, the caller's roles or its rate. Recorded for reads as well. */
function isCallerRejection(errors: readonly ErrorItem[]): boolean {
  return [401, 403, 421, 429].includes(getDefaultStatus(errors) ?? 0);
}

/** Whether it was rejected before the caller was authenticated. */
function isAuthenticationRejection(errors: readonly ErrorItem[]): boolean {
  return [401, 429].includes(getDefaultStatus(errors) ?? 0);
}

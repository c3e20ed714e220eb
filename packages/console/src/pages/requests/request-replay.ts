/** A recorded request, sent again: as whom, and with which values that the log does not contain. */
import type { ControlData } from '../../api/clients.ts';
import type { RequestRecord } from './request-summary.tsx';

export type RequestReasonRecord = ControlData<'/requests/{id}/why'>;
type Placeholder = RequestRecord['placeholders'][number];

/** What `POST /_iam/sessions` issues a token for. */
export interface SessionBody {
  readonly userId?: string;
  readonly clientId?: string;
  readonly level?: string;
}

/** `session`: a token is needed. `plain`: the request itself names its caller, or needs none. */
export type Sender =
  | { readonly kind: 'session'; readonly body: SessionBody; readonly name: string }
  | { readonly kind: 'plain' }
  | { readonly kind: 'impossible'; readonly reason: string };

const impossible = (reason: string): Sender => ({ kind: 'impossible', reason });

/** @param isRemote whether the console had to log in */
export function senderOf(reason: RequestReasonRecord, isRemote: boolean): Sender {
  const { credential, user, client, session, logon } = reason;
  if (logon !== undefined && user === undefined)
    return impossible(`The caller is the mainframe logon ${logon}, which only its own login can be.`);
  if (credential.authMethod === 'client-id' || credential.authMethod === 'body') return { kind: 'plain' };
  if (credential.authMethod === 'none')
    return reason.requires === 'none' || !reason.rejected
      ? { kind: 'plain' }
      : impossible('The request had no credentials, so that there is no caller to send it as.');
  if (user !== undefined) {
    if (credential.authMethod === 'basic')
      return impossible(
        'The caller signs in with a password, which the log does not contain. Copy the request as curl.',
      );
    if (user.locked) return impossible(`${user.userName} is locked.`);
    const clientId = client === undefined ? {} : { clientId: client.clientId };
    return {
      kind: 'session',
      body: { userId: user.userId, ...clientId, level: levelOf(reason, session?.level) },
      name: user.userName,
    };
  }
  if (client === undefined) return impossible('The server does not know who sent it.');
  return isRemote
    ? impossible(
        'A server with remote access issues the token of a client for its secret only. Copy the request as curl.',
      )
    : { kind: 'session', body: { clientId: client.clientId }, name: client.clientId };
}

/** The level that the operation requires, if it is known, or else that of the session. */
function levelOf({ cures }: RequestReasonRecord, level: string | undefined): string {
  const signIn = cures.find((cure) => cure.kind === 'sign-in');
  if (signIn) return signIn.level;
  return level === undefined || level === 'NONE' ? 'AUTH-BASIC' : level;
}

/** The credentials of the caller; a token takes their place. */
const credentialHeaders = new Set(['authorization', 'x-api-key']);

/** The values to ask for. */
export function listQuestions({ placeholders }: RequestRecord): readonly Placeholder[] {
  return placeholders.filter(({ in: part, path }) => part !== 'header' || !credentialHeaders.has(toKey(path)));
}

function toKey([name = '']: readonly string[]): string {
  return name.toLowerCase();
}

/** Values by the variable of their placeholder. */
export type Answers = Readonly<Record<string, string>>;

export interface Replay {
  readonly path: string;
  readonly init: RequestInit;
}

const undeclared = '(not declared)';

/** @throws SyntaxError if the answer for a whole body is not JSON */
export function buildReplay(request: RequestRecord, answers: Answers, token: string | undefined): Replay {
  const asked = listQuestions(request);
  const answerOf = (part: Placeholder['in'], name: string) =>
    asked
      .filter(({ in: of, path }) => of === part && path[0] === name)
      .map(({ variable }) => answers[variable] ?? '')[0];
  const query = Object.entries(request.query).map(([name, value]) => [name, answerOf('query', name) ?? value]);
  const search = new URLSearchParams(query as string[][]).toString();
  const headers = sentHeaders(request)
    .map(({ name, value }) => [name, answerOf('header', name) ?? value] as [string, string])
    .concat(token === undefined ? [] : [['Authorization', `Bearer ${token}`]]);
  const body = buildBody(request, asked, answers);
  return {
    path: `${request.path}${search === '' ? '' : `?${search}`}`,
    init: { method: request.method, headers, credentials: 'omit', ...(body === undefined ? {} : { body }) },
  };
}

/** Headers that can change the response; others are set by the browser, or are no part of the interface. */
const relevantHeaders = new Set(['content-type', 'if-match', 'if-none-match', 'ip', 'prefer']);

function sentHeaders({ headers, placeholders }: RequestRecord): RequestRecord['headers'] {
  const asked = new Set(placeholders.filter(({ in: part }) => part === 'header').map(({ path }) => toKey(path)));
  return headers.filter(({ name }) => {
    const key = name.toLowerCase();
    return relevantHeaders.has(key) || (asked.has(key) && !credentialHeaders.has(key));
  });
}

function buildBody(request: RequestRecord, asked: readonly Placeholder[], answers: Answers): string | undefined {
  const inBody = asked.filter(({ in: part }) => part === 'body');
  const whole = inBody.find(({ path }) => path.length === 0);
  if (whole) return JSON.stringify(JSON.parse(answers[whole.variable] ?? ''));
  if (request.body === undefined) return undefined;
  const body = withoutUndeclared(request.body);
  for (const { variable, path } of inBody) setAt(body, path, answers[variable] ?? '');
  const type = request.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  return type.startsWith('application/x-www-form-urlencoded')
    ? new URLSearchParams(body as Record<string, string>).toString()
    : JSON.stringify(body);
}

function withoutUndeclared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndeclared);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== undeclared);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutUndeclared(inner)]));
}

/** Whether the body had fields that the operation does not declare: the log does not contain them. */
export function hasUndeclared(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return undeclared in value || Object.values(value).some(hasUndeclared);
}

function setAt(value: unknown, path: readonly string[], answer: string): void {
  const [last = '', ...parents] = [...path].reverse();
  const parent = parents.reverse().reduce((at: unknown, name) => Object(at)[name], value);
  Object(parent)[last] = answer;
}

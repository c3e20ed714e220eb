/** The outcome of a request in an access matrix: computes, compares and formats it. */
import type { Operation } from '../../../src/contract/operation.ts';
import type { Caller } from './matrix-callers.ts';

export interface MatrixResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body. */
  readonly json: unknown;
}

export type MatrixOutcome =
  /** Authorized; the request may fail for other reasons. */
  { readonly kind: 'accepted' } | { readonly kind: 'rejected'; readonly status: number; readonly code: string };

/** Evaluates a role expression as JavaScript, independently of the parser of the server. */
export function evaluateRoles(
  rolesText: string,
  { roles, scope }: { roles: readonly string[]; scope: readonly string[] },
): boolean {
  const words: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!', none: 'true', '(': '(', ')': ')' };
  const source = rolesText
    .replaceAll('ROLE_', '')
    .replaceAll(/\bscope ([\w-]+)/g, 'scope:$1')
    .match(/[()]|[^\s()]+/g)
    ?.map(
      (word) => words[word] ?? (word.startsWith('scope:') ? `scope.has('${word.slice(6)}')` : `roles.has('${word}')`),
    )
    .join(' ');
  return Boolean(new Function('roles', 'scope', `return ${source}`)(new Set(roles), new Set(scope)));
}

/** Codes of requests that fail authentication or authorization. */
const gateCodes = ['CREDENTIALS_MISSING', 'TOKEN_INVALID', 'ROLE_MISSING', 'CREDENTIALS_AMBIGUOUS'];

/** Describes an unexpected response; undefined if it is the expected one. The log names the caller that the server found. */
export function findMismatch(
  response: MatrixResponse,
  expected: MatrixOutcome,
  caller: Caller,
  log: readonly string[],
): string | undefined {
  const { status, json, headers } = response;
  const code = Array.isArray(json) ? String(json[0]?.code) : '';
  const loggedCaller = findLoggedCaller(log, String(headers['x-request-id']));
  const actual = `the response is ${status} ${code}, the logged caller ${loggedCaller}`;
  if (expected.kind === 'accepted') {
    const isRejected = gateCodes.includes(code) || status >= 500;
    return isRejected || loggedCaller !== caller.subject
      ? `expected to be accepted as ${caller.subject}: ${actual}`
      : undefined;
  }
  const isIdentified = expected.code === 'ROLE_MISSING';
  const isRight =
    status === expected.status &&
    code === expected.code &&
    loggedCaller === (isIdentified ? caller.subject : 'anonymous');
  return isRight && isChallenged(response, expected.code)
    ? undefined
    : `expected ${expected.status} ${expected.code}: ${actual}`;
}

/** Whether a missing role is named and reported in the challenge (RFC 6750, 3.1), and every 401 has a challenge. */
function isChallenged({ status, headers, json }: MatrixResponse, code: string): boolean {
  const challenge = String(headers['www-authenticate'] ?? '');
  if (code !== 'ROLE_MISSING') return status !== 401 || challenge !== '';
  const isNamed = Array.isArray(json) && json.length === 1 && /lacks|must not have/.test(json[0]?.message);
  return isNamed && challenge.includes('error="insufficient_scope"');
}

/** Searches from the newest line, because the request has just completed. */
function findLoggedCaller(log: readonly string[], requestId: string): string {
  const line = log.findLast((one) => one.includes(`"requestId":"${requestId}"`) && one.includes('"msg":"request"'));
  return line === undefined ? 'not in the log' : String((JSON.parse(line) as { caller?: string }).caller);
}

/** Runs all items in batches of the given size. */
export async function runInBatches<Item>(
  items: readonly Item[],
  size: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) await Promise.all(items.slice(at, at + size).map(run));
}

/** Groups operations that accept the same callers: accepted callers, and the responses of the others. */
export function formatMatrix<Row extends Pick<Operation<never>, 'id'>>(
  rows: readonly Row[],
  callers: readonly Caller[],
  expected: (row: Row, caller: Caller) => MatrixOutcome,
): string {
  const blocks = new Map<string, string[]>();
  for (const row of rows) {
    const names = callers.map((caller) => formatOutcome(expected(row, caller)));
    const group = (name: string) => callers.filter((_, at) => names[at] === name).map((one) => `    ${one.name}\n`);
    const cells = [...new Set(names)].sort().map((name) => `  ${name}\n${group(name).join('')}`);
    blocks.set(cells.join(''), [...(blocks.get(cells.join('')) ?? []), row.id]);
  }
  return [...blocks].map(([cells, ids]) => `${ids.join('\n')}\n${cells}\n`).join('');
}

function formatOutcome(cell: MatrixOutcome): string {
  return cell.kind === 'accepted' ? 'accepted' : `${cell.status} ${cell.code}`;
}

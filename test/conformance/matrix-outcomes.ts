/** What a cell of a matrix of access is: how it is worked out, compared with an answer, and shown. */
import type { Operation } from '../../src/contract/operation.ts';
import type { Caller } from './matrix-callers.ts';

export interface MatrixResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body. */
  readonly json: unknown;
}

export type MatrixOutcome =
  /** Accepted, whatever the response is then. */
  { readonly kind: 'in' } | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** Whether a role expression holds, read as an expression of JavaScript and not by the parser of the server. */
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
  answer: MatrixResponse,
  expected: MatrixOutcome,
  caller: Caller,
  log: readonly string[],
): string | undefined {
  const { status, json, headers } = answer;
  const code = Array.isArray(json) ? String(json[0]?.code) : '';
  const loggedCaller = findLoggedCaller(log, String(headers['x-request-id']));
  const actual = `answered ${status} ${code}, taken as ${loggedCaller}`;
  if (expected.kind === 'in') {
    const isRefused = gateCodes.includes(code) || status >= 500;
    return isRefused || loggedCaller !== caller.subject
      ? `was to be let in as ${caller.subject}, ${actual}`
      : undefined;
  }
  const isIdentified = expected.code === 'ROLE_MISSING';
  const isRight =
    status === expected.status && code === expected.code && loggedCaller === (isIdentified ? caller.subject : 'nobody');
  const isChallenged = status !== 401 || headers['www-authenticate'] !== undefined;
  return isRight && isChallenged ? undefined : `was to be refused as ${expected.status} ${expected.code}, ${actual}`;
}

/** Calls are looked up from the newest on: it was just answered. */
function findLoggedCaller(log: readonly string[], requestId: string): string {
  const line = log.findLast((one) => one.includes(`"requestId":"${requestId}"`) && one.includes('"msg":"request"'));
  return line === undefined ? 'not in the log' : String((JSON.parse(line) as { caller?: string }).caller);
}

/** Runs all, so many at a time. */
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
  return cell.kind === 'in' ? 'in' : `${cell.status} ${cell.code}`;
}

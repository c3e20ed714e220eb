/** What a cell of a matrix of access is: how it is worked out, compared with an answer, and shown. */
import type { Operation } from '../../src/contract/operation.ts';
import type { Caller } from './matrix-callers.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body. */
  readonly json: unknown;
}

export type Cell =
  /** Through the gate, whatever comes of the call then. */
  { readonly kind: 'in' } | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** Whether a role expression holds, read as an expression of JavaScript and not by the parser of the server. */
export function verdictOf(
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

/** The codes of whoever does not get through the gate. */
const gate = ['CREDENTIALS_MISSING', 'TOKEN_INVALID', 'ROLE_MISSING', 'CREDENTIALS_AMBIGUOUS'];

/** What is wrong with an answer; undefined where it is what was due. The log says as whom the server took the call. */
export function cellOf(answer: Answered, due: Cell, caller: Caller, log: readonly string[]): string | undefined {
  const { status, json, headers } = answer;
  const code = Array.isArray(json) ? String(json[0]?.code) : '';
  const takenAs = takenFor(log, String(headers['x-request-id']));
  const told = `answered ${status} ${code}, taken as ${takenAs}`;
  if (due.kind === 'in') {
    const isRefused = gate.includes(code) || status >= 500;
    return isRefused || takenAs !== caller.subject ? `was to be let in as ${caller.subject}, ${told}` : undefined;
  }
  const isIdentified = due.code === 'ROLE_MISSING';
  const isRight = status === due.status && code === due.code && takenAs === (isIdentified ? caller.subject : 'nobody');
  const isChallenged = status !== 401 || headers['www-authenticate'] !== undefined;
  return isRight && isChallenged ? undefined : `was to be refused as ${due.status} ${due.code}, ${told}`;
}

/** Calls are looked up from the newest on: it was just answered. */
function takenFor(log: readonly string[], requestId: string): string {
  const line = log.findLast((one) => one.includes(`"requestId":"${requestId}"`) && one.includes('"msg":"call"'));
  return line === undefined ? 'not in the log' : String((JSON.parse(line) as { caller?: string }).caller);
}

/** Runs all, so many at a time. */
export async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) await Promise.all(items.slice(at, at + size).map(run));
}

/** One block for all operations that the same callers get to: who is let in, and who is refused how. */
export function tableOf<Row extends Pick<Operation<never>, 'id'>>(
  rows: readonly Row[],
  callers: readonly Caller[],
  due: (row: Row, caller: Caller) => Cell,
): string {
  const blocks = new Map<string, string[]>();
  for (const row of rows) {
    const names = callers.map((caller) => nameOf(due(row, caller)));
    const group = (name: string) => callers.filter((_, at) => names[at] === name).map((one) => `    ${one.name}\n`);
    const cells = [...new Set(names)].sort().map((name) => `  ${name}\n${group(name).join('')}`);
    blocks.set(cells.join(''), [...(blocks.get(cells.join('')) ?? []), row.id]);
  }
  return [...blocks].map(([cells, ids]) => `${ids.join('\n')}\n${cells}\n`).join('');
}

function nameOf(cell: Cell): string {
  return cell.kind === 'in' ? 'in' : `${cell.status} ${cell.code}`;
}

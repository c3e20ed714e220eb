/** Looks for secrets in everything that leaves the server: no answer holds one that its operation does not declare. */
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/server/operations/index.ts';

const registry: Readonly<Record<string, Operation<never>>> = operations;

const secretName = /hash|secret|password|salt|private/i;
const secretValue = /sha256:[0-9a-f]{64}|\$argon2/;
const tokenValue = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

/** Places in a value, at any depth, that hold what looks like a secret: `[0].secretHash`. */
export function findSecrets(value: unknown, place = ''): string[] {
  if (typeof value === 'string') return secretValue.test(value) || tokenValue.test(value) ? [place] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => findSecrets(item, `${place}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const below = place === '' ? name : `${place}.${name}`;
    return secretName.test(name) ? [below] : findSecrets(item, below);
  });
}

/** An answer as the guard sees it, whoever received it. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface SecretGuard {
  /** Takes a line of the server's log; it tells which operation an answer belongs to. */
  addLogLine(line: string): void;
  /** @throws Error where the answer or one of its headers holds a secret that its operation does not declare. */
  check(answer: ObservedResponse): void;
  /** @throws Error where an answer did, also one whose failure a test took for another, or where the log holds a secret. */
  assertClean(): void;
}

/** `known` are secrets of the test itself, which the log must not repeat. */
export function createSecretGuard(known: readonly string[]): SecretGuard {
  const operationOf = new Map<string, string>();
  const found: string[] = [];
  return {
    addLogLine(line) {
      if (secretValue.test(line) || tokenValue.test(line) || known.some((secret) => line.includes(secret)))
        found.push(`a secret in the log: ${line}`);
      const { requestId, operation } = JSON.parse(line) as { requestId?: string; operation?: string };
      if (requestId !== undefined && operation !== undefined) operationOf.set(requestId, operation);
    },
    check({ status, headers, body }) {
      const id = operationOf.get(String(headers['x-request-id']));
      const places = [
        ...(mayRevealSecret(id, status) ? [] : findSecretsInBody(id, body)),
        ...findSecrets(Object.values(headers), 'headers'),
      ];
      if (places.length === 0) return;
      found.push(`the answer ${status} of ${id ?? 'no operation'} holds a secret at ${places.join(', ')}`);
      throw new Error(found.at(-1));
    },
    assertClean() {
      if (found.length > 0) throw new Error(found.join('\n'));
    },
  };
}

function mayRevealSecret(id: string | undefined, status: number): boolean {
  const response = id === undefined ? undefined : registry[id]?.response;
  return response !== undefined && 'secret' in response && response.secret === true && status === response.status;
}

/** Documents beside the operations describe fields by their names; their values are looked at all the same. */
function findSecretsInBody(id: string | undefined, body: unknown): string[] {
  if (id !== undefined || Array.isArray(body)) return findSecrets(body, 'body');
  return findSecrets([JSON.stringify(body) ?? ''], 'body');
}

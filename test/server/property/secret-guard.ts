/**
 * Searches everything that leaves the server for secrets: a response contains only those that its operation declares.
 */
import type { Operation } from '../../../src/contract/operation.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { operations } from '../../../src/server/operations/index.ts';

const registry: Readonly<Record<string, Operation<never>>> = {
  ...operations,
  ...Object.fromEntries(controlRoutes.map((route) => [route.id, route])),
};

const secretName = /hash|secret|password|salt|private/i;
const secretValue = /sha256:[0-9a-f]{64}|\$argon2/;
const tokenValue = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

/** Paths in a value, at any depth, that contain what looks like a secret: `[0].secretHash`. */
export function findSecrets(value: unknown, place = ''): string[] {
  if (typeof value === 'string') return secretValue.test(value) || tokenValue.test(value) ? [place] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => findSecrets(item, `${place}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const below = place === '' ? name : `${place}.${name}`;
    return secretName.test(name) ? [below] : findSecrets(item, below);
  });
}

/** An observed response. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface SecretGuard {
  /** Reads a line of the server's log, which contains the operation of a response. */
  addLogLine(line: string): void;
  /** @throws Error where the response or one of its headers contains a secret that its operation does not declare. */
  check(response: ObservedResponse): void;
  /** @throws Error where any response did, even if a test caught the error, or where the log contains a secret. */
  assertClean(): void;
}

/** `known` are secrets of the test, which the log must not contain. */
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
      const paths = [
        ...(mayRevealSecret(id, status) ? [] : findSecretsInBody(id, body)),
        ...findSecrets(Object.values(headers), 'headers'),
      ];
      if (paths.length === 0) return;
      found.push(`the response ${status} of ${id ?? 'no operation'} contains a secret at ${paths.join(', ')}`);
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

/** Other documents describe fields by their names; only their values are checked. */
function findSecretsInBody(id: string | undefined, body: unknown): string[] {
  if (id !== undefined || Array.isArray(body)) return findSecrets(body, 'body');
  return findSecrets([JSON.stringify(body) ?? ''], 'body');
}

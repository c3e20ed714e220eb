/** The actions for selected rows: those of each list send what their commands send, and rows are sent a few at a time. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import openapi from '../../../../docs/openapi.json' with { type: 'json' };
import { servicePrefix } from '../../../../src/contract/prefix.ts';
import { iam } from '../../../../test/cli/run-cli.ts';

interface Call {
  readonly method: string;
  /** Below the server. */
  readonly path: string;
  readonly body?: unknown;
}

/** As the pages declare them. */
interface Declared {
  readonly noun: readonly [string, string];
  keyOf(row: object): string;
  readonly actions: readonly {
    readonly label: string;
    readonly operations: readonly string[];
    request(row: object, value: string): unknown;
    commands(rows: readonly object[], value: string): readonly string[];
  }[];
}

const sources = path.join(import.meta.dirname, '../../src');
const pages = path.join(sources, 'pages');

// The types of the console need its build, which these tests do not.
const { RequestError } = await import(path.join(sources, 'api/errors.ts'));
const { describeRequest } = await import(path.join(sources, 'api/requests.ts'));
const { sendEach } = await import(path.join(sources, 'components/selection/send-each.ts'));

const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /bulk-[\w-]+\.tsx$/.test(file),
);

async function readDeclared(file: string): Promise<Declared[]> {
  const module: Record<string, Declared | ((of: object) => Declared)> = await import(path.join(pages, file));
  return Object.values(module).map((value) => (typeof value === 'function' ? value(group) : value));
}

/** Of a list of members. */
const group = { groupId: 'group', groupName: 'group' };

/** Of every list: each reads the fields that it has. */
const rows = ['one', 'two'].map((name) => ({
  ...{ userId: name, userName: name, groupId: name, groupName: name, clientId: name, serviceAccountId: name },
  ...{ apiKeyId: name, sessionId: name, corporateGroupId: name, id: name, businessId: name, serviceId: name },
}));
const memberRows = ['user', 'business', 'businessUser', 'service'].flatMap((kind) =>
  rows.map((row) => ({ ...row, kind, businessId: kind === 'businessUser' ? 'acme' : row.businessId })),
);

const base = 'http://127.0.0.1:1';

/** What the command would send; the entries of a list are calls of their own. */
async function preview(command: string): Promise<Call[]> {
  const { out, err } = await iam([...command.split(' '), '--dry-run', '-o', 'json'], { url: base });
  expect(out, `${command}: ${err}`).not.toBe('');
  const calls = [JSON.parse(out)].flat() as { method: string; url: string; body?: unknown }[];
  return calls.flatMap(({ method, url, body }) => {
    const call = { method, path: url.slice(base.length) };
    if (body === undefined) return [call];
    return Array.isArray(body) ? body.map((entry) => ({ ...call, body: [entry] })) : [{ ...call, body }];
  });
}

/** Whether the call is one of this operation: `groups.remove`, or `DELETE /_iam/faults`. */
function isCallOf(operation: string, call: Call): boolean {
  const pathOf = ({ path: target }: Call) => target.replace(/\?.*/, '');
  if (operation.includes(' ')) return operation === `${call.method} ${pathOf(call)}`;
  return Object.entries(openapi.paths).some(([template, methods]) => {
    const found = (methods as Record<string, { operationId?: string }>)[call.method.toLowerCase()];
    const pattern = new RegExp(`^${template.replace(servicePrefix, '').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return found?.operationId === operation && pattern.test(pathOf(call).replace(servicePrefix, ''));
  });
}

const noValue = { body: undefined, headers: undefined };

test.each(files)('%s: the command sends the same requests, of an operation that the button checks', async (file) => {
  for (const { actions, noun } of await readDeclared(file)) {
    for (const { label, operations, request, commands } of actions) {
      const what = `${label} ${noun[1]}`;
      const selected = noun[0] === 'member' ? memberRows : rows;
      const sent = selected.map((row) => describeRequest(request(row, 'value')) as Call);
      const previews = await Promise.all(commands(selected, 'value').map(preview));
      expect(previews.flat(), what).toEqual(sent.map((call) => expect.objectContaining(dropUndefined(call))));
      for (const call of sent)
        expect(
          operations.filter((operation) => isCallOf(operation, call)),
          what,
        ).toHaveLength(1);
    }
  }
});

function dropUndefined(call: Call): object {
  return Object.fromEntries(Object.entries({ ...noValue, ...call }).filter(([, value]) => value !== undefined));
}

test('at most four rows are sent at a time; those that failed are kept with their errors', async () => {
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  let open = 0;
  let most = 0;
  const progress: number[] = [];
  const { done, failed } = await sendEach({
    rows: numbers,
    signal: new AbortController().signal,
    onProgress: (count: number) => progress.push(count),
    async send(number: number) {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      if (number % 10 === 7) throw new RequestError(409, [{ code: 'CONFLICT', message: `${number}` }]);
    },
  });
  expect(most).toBe(4);
  expect(done).toHaveLength(18);
  expect(failed.map(({ row }: { row: number }) => row)).toEqual([7, 17]);
  expect(progress).toEqual(numbers.map((at) => at + 1));
});

test('a stop, or a server that is away, ends with the requests that are under way', async () => {
  const numbers = Array.from({ length: 20 }, (_, at) => at);
  const controller = new AbortController();
  const stopped = await sendEach({
    rows: numbers,
    signal: controller.signal,
    onProgress: (count: number) => count === 5 && controller.abort(),
    send: () => Promise.resolve(),
  });
  expect(stopped.done.length).toBeLessThan(10);
  const away = await sendEach({
    rows: numbers,
    signal: new AbortController().signal,
    onProgress: () => {},
    send: () => Promise.reject(new RequestError(undefined, [{ code: 'UNREACHABLE', message: '' }])),
  });
  expect(away).toMatchObject({ done: [], failed: [{ row: 0 }, { row: 1 }, { row: 2 }, { row: 3 }] });
});

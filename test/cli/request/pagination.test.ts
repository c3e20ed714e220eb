import { describe, expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

/** Lists of this many groups, in pages as the service returns them. */
function groupServer(count: number) {
  const groups = Array.from({ length: count }, (_, at) => ({
    groupId: `g${at}`,
    groupName: `group-${at}`,
    roles: ['A', 'B'],
    dependencies: [{ groupName: 'x' }],
  }));
  return startFakeServer(({ path }) => {
    const query = new URL(path, 'http://x').searchParams;
    const start = Number(query.get('after') ?? 0);
    const end = start + Number(query.get('limit') ?? 100);
    const hasMore = end < count;
    const link = { link: `<${path.split('?')[0]}?after=${end}>; rel="next"` };
    return { status: hasMore ? 206 : 200, json: groups.slice(start, end), ...(hasMore ? { headers: link } : {}) };
  });
}

const names = ['groups', 'list', '-o', 'name'];

describe('a list', () => {
  test('stops at a hundred with a notice that more exist', async () => {
    await using server = await groupServer(150);
    const { out, err } = await iam(names, server);
    expect(out.trim().split('\n')).toHaveLength(100);
    expect(err).toContain('Add --all or a higher --limit to see more');
  });

  test('prints every entry with --all, in large pages, as one JSON document', async () => {
    await using server = await groupServer(2500);
    const { out, err } = await iam(['groups', 'list', '--all', '-o', 'json'], server);
    expect(JSON.parse(out)).toHaveLength(2500);
    expect(err).toBe('');
    expect(server.received).toHaveLength(3);
  });

  test('prints no more than --limit', async () => {
    await using server = await groupServer(1200);
    const { out } = await iam([...names, '--limit', '1001'], server);
    expect(out.trim().split('\n')).toHaveLength(1001);
    expect(server.received[1]?.path).toContain('limit=1&');
  });

  test('sends its filters with every page', async () => {
    await using server = await groupServer(1500);
    await iam([...names, '--all', '--role', 'A B'], server);
    expect(server.received.map(({ path }) => path.includes('role=A+B'))).toEqual([true, true]);
  });

  test('without entries prints no header, and an empty JSON list', async () => {
    await using server = await groupServer(0);
    expect(await iam(['groups', 'list'], server)).toEqual({ code: 0, out: '', err: 'No results.\n' });
    expect(await iam(['groups', 'list', '-o', 'json', '-q'], server)).toEqual({ code: 0, out: '[]\n', err: '' });
  });

  test('as jsonl is one entry per line, as yaml one document', async () => {
    await using server = await groupServer(2);
    const { out } = await iam(['groups', 'list', '-o', 'jsonl'], server);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { groupId: string }).groupId),
    ).toEqual(['g0', 'g1']);
    expect((await iam(['groups', 'list', '-o', 'yaml'], server)).out).toContain(
      '- groupId: g0\n  groupName: group-0\n',
    );
  });
});

describe('a table', () => {
  test('prints the columns with values, the same with and without a terminal', async () => {
    await using server = await groupServer(1);
    const piped = (await iam(['groups', 'list'], server)).out;
    expect(piped).toBe('GROUP ID  GROUP NAME  ROLES  DEPENDENCIES\ng0        group-0     A, B   x\n');
    expect((await iam(['groups', 'list'], { ...server, columns: 200 })).out).toBe(piped);
  });

  test('is truncated to the terminal width, except its ids', async () => {
    const id = 'a'.repeat(24);
    await using server = await startFakeServer(() => ({
      json: [{ groupId: id, groupName: 'n'.repeat(90), roles: ['R'.repeat(90)] }],
    }));
    const [heading = '', row = ''] = (await iam(['groups', 'list'], { ...server, columns: 80 })).out.split('\n');
    expect(Math.max(heading.length, row.length)).toBe(80);
    expect(row).toContain(`${id}  n`);
    expect(row).toContain('…');
  });

  test('escapes terminal control characters', async () => {
    await using server = await startFakeServer(() => ({
      json: [{ groupId: 'g', groupName: 'a\u001b]0;x\u0007b\nc' }],
    }));
    expect((await iam(['groups', 'list'], server)).out).toBe(
      String.raw`GROUP ID  GROUP NAME
g         a\u001b]0;x\u0007b\nc
`,
    );
  });
});

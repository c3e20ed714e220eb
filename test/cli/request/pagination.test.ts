import { describe, expect, test } from 'vitest';
import { formats } from '../../../src/cli/output/format.ts';
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
const lists = ['groups list', 'api-key list', 'users list', 'requests list', 'inbox list', 'sessions list'];
const hundred = 'Showing the first 100 entries. Add --all or a higher --limit to see more.\n';

describe('a list', () => {
  describe.each(lists.map((words) => words.split(' ')))('%s %s', (...list) => {
    test.each(['table', 'wide'])('as %s on a terminal stops at 100 entries with a notice', async (format) => {
      await using server = await groupServer(250);
      const outcome = await iam([...list, '-o', format], { ...server, columns: 80 });
      expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining(hundred) });
      const all = await iam([...list, '-o', format, '--all'], { ...server, columns: 80 });
      expect(all).toMatchObject({ code: 0, err: '' });
      expect(all.out.split('\n').length - outcome.out.split('\n').length).toBe(150);
    });

    test.each(formats)('as %s without a terminal is complete', async (format) => {
      await using server = await groupServer(250);
      const outcome = await iam([...list, '-o', format], server);
      expect(outcome).toMatchObject({ code: 0, err: '' });
      const all = await iam([...list, '-o', format, '--all'], server);
      expect(all.out).toBe(outcome.out);
      const limited = await iam([...list, '-o', format, '--limit', '249'], server);
      expect(limited.out.length).toBeLessThan(outcome.out.length);
    });

    test('with --query is complete, also on a terminal', async () => {
      await using server = await groupServer(2500);
      const words = [...list, '--query', 'length(@)'];
      expect(await iam(words, { ...server, columns: 80 })).toEqual({ code: 0, out: '2500\n', err: '' });
      expect(await iam(words, server)).toEqual({ code: 0, out: '2500\n', err: '' });
    });
  });

  test.each(['json', 'jsonl', 'yaml', 'csv', 'name'])('as %s on a terminal is complete', async (format) => {
    await using server = await groupServer(250);
    const words = ['groups', 'list', '-o', format];
    const outcome = await iam(words, { ...server, columns: 80 });
    expect(outcome).toEqual(await iam(words, server));
    expect(outcome.out).toContain(format === 'name' ? 'group-249' : 'g249');
  });

  test.each([undefined, 80])('prints at most --limit entries, also with --all (terminal: %s)', async (columns) => {
    await using server = await groupServer(250);
    const options = { ...server, ...(columns === undefined ? {} : { columns }) };
    const { out, err } = await iam([...names, '--all', '--limit', '120'], options);
    expect(out.trim().split('\n')).toHaveLength(120);
    expect(err).toBe('Showing the first 120 entries. Increase or remove --limit to see more.\n');
    const exact = await iam([...names, '--all', '--limit', '250'], options);
    expect(exact.out.trim().split('\n')).toHaveLength(250);
    expect(exact.err).toBe('');
    const queried = await iam(['groups', 'list', '--limit', '7', '--query', 'length(@)', '-q'], options);
    expect(queried).toEqual({ code: 0, out: '7\n', err: '' });
  });

  test('prints at most --limit entries of a server that ignores the limit', async () => {
    await using server = await startFakeServer(() => ({ json: [{ groupId: 'g1' }, { groupId: 'g2' }] }));
    const { out, err } = await iam([...names, '--limit', '1'], server);
    expect(out).toBe('g1\n');
    expect(err).toContain('Showing the first entry.');
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
});

/**
 * What commands on many rows cost: CPU time of command and server together, so that other work on the machine and the time
 * of a sync do not count. An import sends nothing. The floor is an empty process of Node.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchEnvironment, client } from '../environment.ts';
import { type Duration, type Figure, timeFigure } from '../figure.ts';
import { nodeOn, root, type ServerProcess } from '../processes.ts';
import { mean, median } from '../statistics.ts';
import { measureCommand } from './command.ts';

const rounds = 3;
const rowCount = 2_000;
const groupCount = 1_000;
const planned = { groups: 5_000, users: 20_000 } as const;
/** 400 rows a second, if command and server have a core each. */
const limits = { rowMs: 5, planMs: 3_000 } as const;

type Variables = Readonly<Record<string, string>>;

interface RowsRun {
  readonly server: ServerProcess;
  readonly folder: string;
  readonly variables: Variables;
}

export async function rowFigures(bench: BenchEnvironment): Promise<Figure[]> {
  const users = Array.from({ length: planned.users }, (_, number) => userOf(number));
  const server = await bench.startSeeded({ users: users.map((userId) => ({ userId, userName: userId })) });
  const folder = bench.emptyFolder();
  const variables = {
    ...bench.environment,
    XDG_STATE_HOME: path.join(folder, 'state'),
    IAM_BASE_URL: `http://127.0.0.1:${server.port}`,
    IAM_CLIENT_ID: client.id,
    IAM_CLIENT_SECRET: client.secret,
  };
  try {
    const run = { server, folder, variables };
    return [...(await measurePlans(run)), ...(await measureWrites(run))];
  } finally {
    await server.stop();
  }
}

async function measureWrites(run: RowsRun): Promise<Figure[]> {
  const [floors, bulk, apply, imports]: [Duration[], Duration[], Duration[], Duration[]] = [[], [], [], []];
  const realm = writeFile(run, 'realm.json', JSON.stringify(createRealm(rowCount)));
  for (let round = 0; round < rounds; round += 1) {
    floors.push(measureCommand(nodeOn('driver', ['-e', '0']), run.variables));
    const rows = writeFile(run, `bulk-${round}.csv`, toCsv(createGroups(`bulk-${round}`, rowCount)));
    bulk.push(await measureBoth(run, ['bulk', 'run', rows, '--operation', 'groups.create']));
    const file = writeDocument(run, `apply-${round}`, createGroups(`apply-${round}`, groupCount));
    apply.push(await measureBoth(run, ['apply', '-f', file, '--yes', '--set', `apply-${round}`]));
    const seed = path.join(run.folder, `seed-${round}.json`);
    imports.push(await measureBoth(run, ['import', 'keycloak', realm, '--to', seed]));
  }
  return [
    rowFigure('iam bulk run', bulk, rowCount, floors),
    rowFigure('iam apply', apply, groupCount, floors),
    rowFigure('iam import keycloak', imports, rowCount, floors),
  ];
}

/** Plans of all groups with their members: before the server has them, and after. */
async function measurePlans(run: RowsRun): Promise<Figure[]> {
  const groups = createGroups('plan', planned.groups);
  const perGroup = planned.users / planned.groups;
  const usersOf = (number: number) => Array.from({ length: perGroup }, (_, at) => userOf(number * perGroup + at));
  const file = writeDocument(
    run,
    'plan',
    groups.map((group, number) => ({ ...group, users: usersOf(number) })),
  );
  const plan = async (name: string) => {
    const times: Duration[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await measureBoth(run, ['plan', '-f', file]));
    const milliseconds = mean(times.map(({ cpuMs }) => cpuMs));
    return { ...timeFigure(name, milliseconds, { atMost: limits.planMs }), ours: formatMs(times) };
  };
  const size = `${planned.groups.toLocaleString('en')} groups, ${planned.users.toLocaleString('en')} users`;
  const before = await plan(`iam plan, ${size}, none there`);
  await measureBoth(run, ['apply', '-f', file, '--yes']);
  return [before, await plan(`iam plan, ${size}, all there`)];
}

/** Runs a command. The CPU time is that of command and server. */
async function measureBoth({ server, variables }: RowsRun, words: string[]): Promise<Duration> {
  const before = await server.query('usage');
  const { wallMs, cpuMs } = measureCommand(nodeOn('driver', [path.join(root, 'bin/iam.js'), ...words]), variables);
  const after = await server.query('usage');
  return { wallMs, cpuMs: cpuMs + after.cpuMs - before.cpuMs };
}

function rowFigure(name: string, times: readonly Duration[], count: number, floors: readonly Duration[]): Figure {
  const rates = times.map(({ wallMs }) => (count * 1000) / wallMs);
  return {
    name: `${name}, ${count.toLocaleString('en')} rows, CPU a row`,
    ours: `${Math.round(median(rates))}/s`,
    floor: formatMs(floors),
    result: mean(times.map(({ cpuMs }) => cpuMs)) / count,
    unit: 'ms',
    target: { atMost: limits.rowMs },
  };
}

function formatMs(times: readonly Duration[]): string {
  return `${median(times.map(({ wallMs }) => wallMs)).toFixed(0)} ms`;
}

function userOf(number: number): string {
  return `planned-${number}`;
}

/** Typical groups: every tenth depends on the one before. */
function createGroups(prefix: string, count: number) {
  return Array.from({ length: count }, (_, number) => ({
    groupName: `${prefix}-${number}`,
    roles: [`READ_${number % 300}`, `WRITE_${number % 200}`],
    dependencies: number % 10 === 9 ? [{ groupName: `${prefix}-${number - 1}` }] : [],
  }));
}

/** A realm of users with passwords, who are each in one of a hundred groups and have a role. */
function createRealm(count: number) {
  const names = Array.from({ length: 100 }, (_, number) => `import-${number}`);
  const password = {
    type: 'password',
    credentialData: JSON.stringify({ algorithm: 'pbkdf2-sha256', hashIterations: 27_500 }),
    secretData: JSON.stringify({
      value: Buffer.alloc(64, 1).toString('base64'),
      salt: Buffer.alloc(16, 2).toString('base64'),
    }),
  };
  const users = Array.from({ length: count }, (_, number) => ({
    username: `imported-${number}`,
    email: `imported-${number}@example.com`,
    emailVerified: true,
    enabled: true,
    groups: [`/import-${number % 100}`],
    realmRoles: [`ROLE_${number % 100}`],
    credentials: [password],
  }));
  return {
    realm: 'bench',
    roles: { realm: names.map((_, number) => ({ name: `ROLE_${number}` })) },
    groups: names.map((name) => ({ name, path: `/${name}` })),
    clients: [],
    users,
  };
}

function toCsv(groups: ReturnType<typeof createGroups>): string {
  return `groupName,roles\n${groups.map(({ groupName, roles }) => `${groupName},${roles.join(';')}\n`).join('')}`;
}

function writeDocument(run: RowsRun, name: string, groups: readonly object[]): string {
  return writeFile(run, `${name}.json`, JSON.stringify({ groups }));
}

function writeFile({ folder }: RowsRun, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

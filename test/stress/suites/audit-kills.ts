/** `audit-kills`: kills a server (kill -9) under administrative changes; the audit log has a line of each acknowledged one. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { ServerProcess } from '../server-process.ts';
import { type Budget, type Finding, runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const WRITERS = 16;
const MAX_CHANGES = 300;
const groupsPath = `${servicePrefix}/groups`;

/** The request ids of the acknowledged changes, in the order of each writer. */
type Acknowledged = string[][];

/** Cycles through a create, an update, a delete, and a change through the control plane. */
function sendChange(server: ServerProcess, writer: number, number: number) {
  const groupName = `w${writer}-${Math.floor(number / 4)}`;
  const path = `${groupsPath}/${groupName}`;
  switch (number % 4) {
    case 0:
      return server.send('POST', groupsPath, { groupName });
    case 1:
      return server.send('POST', `${path}/role`, { roleName: 'DEPLOY' });
    case 2:
      return server.send('DELETE', path);
    default:
      return server.send('DELETE', '/_iam/inbox');
  }
}

/** Sends changes one after the other until the server disconnects or `onAcknowledged` returns false. */
async function runWriter(
  server: ServerProcess,
  writer: number,
  acknowledged: string[],
  onAcknowledged: () => boolean,
): Promise<void> {
  for (let number = 0; ; number += 1) {
    const response = await sendChange(server, writer, number).catch(() => undefined);
    if (response === undefined) return;
    if (response.status >= 300) throw new Error(`change ${number} of writer ${writer} failed with ${response.status}`);
    acknowledged.push(response.requestId);
    if (!onAcknowledged()) return;
  }
}

/** Kills the server at once after `count` acknowledged changes. */
async function runAndKill(server: ServerProcess, count: number): Promise<Acknowledged> {
  const acknowledged: Acknowledged = Array.from({ length: WRITERS }, () => []);
  let left = count;
  const onAcknowledged = () => {
    left -= 1;
    if (left === 0) server.signal('SIGKILL');
    return true;
  };
  try {
    await server.ready();
    await Promise.all(acknowledged.map((ids, writer) => runWriter(server, writer, ids, onAcknowledged)));
  } finally {
    await server.kill();
  }
  return acknowledged;
}

/** Starts the server again, makes one more change and stops it. @returns the id of the change. */
async function restart(server: ServerProcess): Promise<string[]> {
  try {
    await server.ready();
    const { requestId } = await server.send('POST', groupsPath, { groupName: 'after' });
    await server.stop();
    if (server.outcome !== 0) throw new Error(`the server stopped with ${server.outcome}: ${server.stderr}`);
    return [requestId];
  } finally {
    if (server.running) await server.kill();
  }
}

/** Returns the request ids of the log, oldest file first. A line that a kill truncated has none. */
async function readAuditIds(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('audit.log'));
  const ageOf = (name: string) => Number(/\d+$/.exec(name)?.[0] ?? 0);
  const texts = await Promise.all(
    names.toSorted((a, b) => ageOf(b) - ageOf(a)).map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return texts
    .join('')
    .split('\n')
    .flatMap((line) => /^\{.*"requestId":"([^"]+)".*\}$/.exec(line)?.[1] ?? []);
}

/** @throws Error if a change has no line or several, or if the lines of a writer are not in order. */
function assertRecorded(acknowledged: Acknowledged, recorded: readonly string[]): void {
  const positions = new Map(recorded.map((id, position) => [id, position]));
  const ids = acknowledged.flat();
  const missing = ids.filter((id) => !positions.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} of ${ids.length} acknowledged changes have no audit line`);
  if (positions.size < recorded.length) throw new Error('a change has several audit lines');
  for (const writer of acknowledged) {
    const order = writer.map((id) => positions.get(id) ?? 0);
    if (order.some((position, at) => position < (order[at - 1] ?? -1)))
      throw new Error('the audit lines of a writer are not in order');
  }
}

/** @returns the number of acknowledged changes. */
async function runRound(seed: number, seededBug: string | undefined): Promise<number> {
  return withTempFolder(async (folder) => {
    const random = createSeededRandom(seed);
    // The instrumented server rotates the audit log every few dozen changes.
    const isInstrumented = random() < 0.5 || seededBug !== undefined;
    const start = () =>
      isInstrumented
        ? ServerProcess.instrumented({ data: folder, seededBug, audit: true, frequent: false })
        : ServerProcess.product(folder);
    const acknowledged = await runAndKill(start(), between(random, 1, MAX_CHANGES));
    acknowledged.push(await restart(start()));
    assertRecorded(acknowledged, await readAuditIds(folder));
    return acknowledged.flat().length;
  });
}

async function run(budget: Budget): Promise<Finding[]> {
  let acknowledged = 0;
  const { findings, done } = await runRounds('audit-kills', budget, async (seed) => {
    acknowledged += await runRound(seed, budget.seededBug);
  });
  budget.log(`${done} kills, ${acknowledged} changes acknowledged`);
  return findings;
}

export const auditKills: Suite = {
  name: 'audit-kills',
  about: 'kill -9 under administrative changes: each acknowledged change has one audit line, in order',
  run,
};

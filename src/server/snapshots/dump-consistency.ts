/**
 * What an imported dump must fulfil beyond the schemas of its rows. The operations never write other rows, and rely on
 * that: they would fail, not end, or use up the memory of all services of the process.
 */
import { createPause, forEachYielding } from '../lib/event-loop-turns.ts';
import { measureChains } from '../lib/topological-order.ts';
import { findLargeNumber, maxNumber } from '../store/large-numbers.ts';
import { findHashProblem } from '../users/hashes/kinds.ts';
import { type DumpTables, readRows } from './dump.ts';
import { createDumpError } from './dump-format.ts';

/** Clients that own each other in turn. Each request of a client looks up all clients above it. */
const maxOwners = 10_000;

/** @throws IamError STATE_DAMAGED naming the row. */
export async function assertConsistent(dump: DumpTables): Promise<void> {
  await forEachYielding(readRows(dump, 'users'), async ({ userId, passwordHash }) =>
    assertVerifiable(passwordHash, `user ${userId}`),
  );
  await forEachYielding(readRows(dump, 'logons'), async ({ logon, passwordHash }) =>
    assertVerifiable(passwordHash, `logon ${logon}`),
  );
  await assertValues(dump);
  const clients = readRows(dump, 'clients').map(({ clientId, ownerClientId }) => ({
    key: clientId,
    targets: ownerClientId === undefined ? [] : [ownerClientId],
  }));
  const groups = readRows(dump, 'groups').map(({ groupId, dependencies }) => ({ key: groupId, targets: dependencies }));
  if ((await measureChains(groups)).endless.length > 0)
    throw createDumpError('the dependencies of groups form a cycle');
  const owners = await measureChains(clients);
  if (owners.endless.length > 0) throw createDumpError('clients own each other in a cycle (ownerClientId)');
  if (owners.longest > maxOwners)
    throw createDumpError(`more than ${maxOwners} clients own each other in turn (ownerClientId)`);
}

function assertVerifiable(passwordHash: string | undefined, owner: string): void {
  const problem = passwordHash === undefined ? undefined : findHashProblem(passwordHash);
  if (problem !== undefined) throw createDumpError(`the passwordHash of ${owner} ${problem}`);
}

async function assertValues(dump: DumpTables): Promise<void> {
  const pause = createPause();
  for (const [name, rows] of dump)
    for (const [number, row] of rows.entries()) {
      const pausing = pause();
      if (pausing) await pausing;
      const field = findLargeNumber(row);
      if (field !== undefined)
        throw createDumpError(`${name}[${number}].${field} contains a number beyond ${maxNumber}`);
      const nullField = Object.keys(row).find((key) => hasNullCharacter(row[key]));
      if (nullField !== undefined)
        throw createDumpError(`${name}[${number}].${nullField} contains the character U+0000`);
    }
}

/** PostgreSQL stores no U+0000, and no operation accepts it. */
function hasNullCharacter(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.includes('\0') || hasNullCharacter(inner));
}

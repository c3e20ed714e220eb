/** What the routes of the state take and give. */
import * as z from 'zod';
import { singleLine } from '../../contract/schemas.ts';
import { sandboxNamePattern } from '../sandboxes.ts';
import { reservedSnapshotNames } from '../state/state-manager.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A name of a snapshot, or of one of the states that are always there. */
export const SnapshotReference = singleLine(64, 'The name of a snapshot').regex(
  namePattern,
  'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit',
);

export const SnapshotName = SnapshotReference.refine(
  (name) => !(reservedSnapshotNames as readonly string[]).includes(name),
  `must not be ${reservedSnapshotNames.join(', ')}: these stand for other states`,
);

export const SnapshotItem = z.strictObject({
  name: z.string(),
  createdAt: z.string(),
  rows: z.int().describe('How many rows it holds, of all tables'),
});

/** The longest state that is taken, in bytes. */
export const maxDumpBytes = 64 * 1024 * 1024;

export const SandboxName = singleLine(64, 'The name of a sandbox').regex(
  sandboxNamePattern,
  'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit',
);

export const SandboxItem = z.strictObject({
  name: z.string(),
  baseUrl: z.string().describe('Where its callers reach it'),
  createdAt: z.string(),
  expiresAt: z.string().describe('When it goes by itself, unless it is called before'),
});

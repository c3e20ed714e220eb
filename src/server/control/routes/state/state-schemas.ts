/** Schemas of the state routes. */
import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { exampleInt, exampleText, singleLine } from '../../../../contract/schemas/primitives.ts';
import { reservedSnapshotNames } from '../../../snapshots/state-manager.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name of a snapshot, or of a built-in state. */
export const SnapshotReference = singleLine(64, 'The name of a snapshot')
  .regex(namePattern, 'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit')
  .meta({ examples: ['before-checkout'] });

export const SnapshotName = SnapshotReference.refine(
  (name) => !(reservedSnapshotNames as readonly string[]).includes(name),
  `must not be ${reservedSnapshotNames.join(', ')}: these names are reserved`,
);

/** The query of a comparison. */
export const ComparedStates = {
  from: SnapshotReference.default('seed').meta({
    description: 'First state; default seed',
    examples: ['seed'],
    ...reference('snapshot', ['name']),
  }),
  to: SnapshotReference.default('now').meta({
    description: 'Second state; default now',
    examples: ['now'],
    ...reference('snapshot', ['name']),
  }),
};

export const SnapshotItem = z.strictObject({
  name: exampleText('before-checkout'),
  createdAt: exampleText('2026-03-01T12:00:00.000Z'),
  rows: exampleInt(42, 'Number of rows in all tables'),
});

/** Max size of an imported dump, in bytes. */
export const maxDumpBytes = 64 * 1024 * 1024;

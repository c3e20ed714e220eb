import * as z from 'zod';
import {
  exampleInt,
  exampleText,
  optionalInt,
  optionalText,
  PageQuery,
} from '../../../../contract/schemas/primitives.ts';
import { changeActions } from '../../../snapshots/dump-diff.ts';
import { objectEntities } from '../../../snapshots/object-diff.ts';
import { tableNames } from '../../../store/table-shape.ts';
import { defineRoute } from '../../define.ts';
import { FieldDifferenceItem } from '../../field-difference.ts';
import { ComparedStates } from './state-schemas.ts';

const counts = { created: exampleInt(1), changed: exampleInt(2), deleted: exampleInt(0) };
const entity = z.enum(objectEntities).meta({ examples: ['group'] });

const ObjectDiffBody = z.strictObject({
  from: exampleText('seed'),
  to: exampleText('now'),
  counts: z
    .array(z.strictObject({ entity, ...counts }))
    .readonly()
    .describe('Objects that differ, on all pages'),
  internals: z
    .array(z.strictObject({ table: z.enum(tableNames).meta({ examples: ['refreshTokens'] }), ...counts }))
    .readonly()
    .describe('Rows that are no objects for people, and rows of which only such fields differ'),
  objects: z
    .array(
      z.strictObject({
        entity,
        id: exampleText('64b0c0ffee00000000000001'),
        name: optionalText('ops'),
        action: z.enum(changeActions).meta({ examples: ['changed'] }),
        fields: z
          .array(FieldDifferenceItem.extend({ omitted: optionalInt(100, 'Entries of the lists that are left out') }))
          .readonly()
          .describe('Of lists the entries that differ; of a sensitive field only the name'),
      }),
    )
    .readonly(),
  names: z
    .array(z.strictObject({ kind: entity, id: exampleText('64b0c0ffee00000000000001'), name: exampleText('ops') }))
    .readonly()
    .describe('The names of the ids in fields, from the second state or else the first'),
  next: optionalText('group:64b0c0ffee00000000000001', 'The value of after for the next page'),
});

const defaultLimit = 100;

export default defineRoute({
  capability: 'maintain',
  large: true,
  // As the comparison of tables: it shows which hashes differ.
  hashes: true,
  id: 'control.state-diff-objects',
  title: 'Compare two states by object',
  description:
    'The objects that differ, by kind and id, with names and the fields that differ. Members of groups, contacts and devices are lists of their objects. Each state is the name of a snapshot, or now, seed or empty.',
  method: 'GET',
  path: '/state/diff/objects',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...ComparedStates,
      entity: entity.optional().meta({ description: 'Only objects of this kind', examples: ['group'] }),
      ...PageQuery,
    },
  },
  response: { status: 200, body: ObjectDiffBody },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ query: { from, to, limit = defaultLimit, ...query } }, { state }) {
    return { from, to, ...(await state.diffObjects(from, to, { ...query, limit })) };
  },
});

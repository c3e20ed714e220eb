import * as z from 'zod';
import { exampleText, Id, listUpTo } from '../../../../contract/schemas/primitives.ts';
import { namedKinds, readEntityNames } from '../../../directory/entity-names.ts';
import { defineRoute } from '../../define.ts';

/** The most ids of a request. */
const maxIds = 500;

const NameItem = z.strictObject({
  id: exampleText('64b0c0ffee00000000000001'),
  kind: z.enum(namedKinds).meta({ examples: ['group'] }),
  name: exampleText(
    'ops',
    'User name, group name, business name, service account or else application of a client, name of a corporate group or customer, application of an API key',
  ),
});

export default defineRoute({
  capability: 'read',
  id: 'control.names',
  title: 'Find the names of ids',
  description:
    'Returns the names of the entities with these ids, sorted by kind, for programs that show names beside ids of other responses. An id can belong to entities of several kinds, or to none. Names of users who signed up and of clients of third parties are chosen by them.',
  method: 'POST',
  path: '/names',
  audit: { kind: 'read', targets: {} },
  request: {
    body: z.strictObject({
      ids: listUpTo(maxIds, Id).meta({ description: `Up to ${maxIds} ids`, examples: [['64b0c0ffee00000000000001']] }),
    }),
  },
  response: { status: 200, body: z.strictObject({ names: z.array(NameItem) }) },
  errors: [],

  handle: async ({ body }, { store }) => ({ names: [...(await readEntityNames(store, body.ids))] }),
});

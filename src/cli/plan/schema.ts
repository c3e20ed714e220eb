/** JSON Schema of provisioning documents; also published as docs/provisioning.schema.json. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { documentResources } from './resources/index.ts';

export const documentSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:iam-standin:schema:provisioning',
  title: 'Provisioning document',
  type: 'object',
  properties: {
    set: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      description: 'Name of the set that records created resources for --prune',
    },
    ...Object.fromEntries(
      documentResources.map(({ list, schema }) => [
        list,
        { type: 'array', items: schema, description: schema.description },
      ]),
    ),
    $schema: { type: 'string', description: 'URL of the JSON schema of the document, for editors' },
  },
  required: [],
  additionalProperties: false,
  description: 'Desired state for `iam apply`. Omitted fields stay unchanged.',
};

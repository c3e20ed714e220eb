/** The JSON Schema of baselines of `iam conformance`. */
const text = (description: string) => ({ type: 'string', description });

export const baselineSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:iam-standin:schema:conformance-baseline',
  title: 'Conformance baseline',
  description: 'Accepted differences for `iam conformance --baseline`.',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'URL of the JSON schema of the document, for editors' },
    differences: {
      type: 'array',
      description: 'An entry accepts the differences that have all its values; values that are left out match all',
      items: {
        type: 'object',
        properties: {
          operation: text('Id of the operation'),
          case: text('Name of the case'),
          aspect: { type: 'string', enum: ['status', 'code', 'field', 'header'], description: 'What differs' },
          name: text('Path of the field, or name of the header in lower case'),
          expected: text('What the reference has'),
          seen: text('What the deployment has'),
          reason: text('Why the difference is accepted'),
        },
        additionalProperties: false,
      },
    },
  },
  required: ['differences'],
  additionalProperties: false,
};

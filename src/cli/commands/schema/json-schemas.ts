/** The JSON Schemas of the documents that the command and the server read. */
import seedSchema from '../../../../docs/seed.schema.json' with { type: 'json' };
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { type SettingDefinition, settingDefinitions } from '../../config/settings.ts';
import { baselineSchema } from '../../conformance/baseline-schema.ts';
import { documentSchema } from '../../plan/schema.ts';

/** The schemas by kind. Their `$id` is stable, so that editors and validators can refer to it. */
export const jsonSchemas: Readonly<Record<'seed' | 'provisioning' | 'config' | 'conformance-baseline', object>> = {
  seed: seedSchema,
  provisioning: documentSchema,
  config: buildProjectFileSchema(settingDefinitions),
  'conformance-baseline': baselineSchema,
};

/** The schema of project files (.iamrc.json): values are text, numbers or booleans. */
function buildProjectFileSchema(definitions: readonly SettingDefinition[]): JsonSchema {
  const settings = definitions.filter(({ project }) => project);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:iam-standin:schema:config',
    title: 'Project file',
    description: 'Shared settings of a project for `iam`, in .iamrc.json. It must not contain secrets.',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'URL of the JSON schema of the document, for editors' },
      ...Object.fromEntries(
        settings.map(({ key, meaning }) => [
          toCamelCase(key),
          { type: ['string', 'number', 'boolean'], description: meaning },
        ]),
      ),
    },
    additionalProperties: false,
  };
}

function toCamelCase(key: string): string {
  return key.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

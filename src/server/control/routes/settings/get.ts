import * as z from 'zod';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { type Setting, settingsTable } from '../../../config/settings.ts';
import { defineRoute } from '../../define.ts';

const schemaByKind: Readonly<Record<Setting['kind'], z.ZodType<string | number | boolean | readonly string[]>>> = {
  text: exampleText('Your code is 493817.'),
  integer: z.int(),
  boolean: z.boolean(),
  list: z.array(z.string()).readonly(),
};

/** Settings without a flag come from the environment only: secrets, or the name of their owner. */
const publicSettings = Object.entries(settingsTable).filter(([, { flag }]) => flag);

const defaultSettings = Object.fromEntries(
  publicSettings.flatMap(([, setting]) => ('default' in setting ? [[setting.name, setting.default]] : [])),
);

const SettingsView = z.strictObject(
  Object.fromEntries(
    publicSettings.map(([, { name, kind, description }]) => [
      name,
      schemaByKind[kind].optional().describe(description),
    ]),
  ),
);

export default defineRoute({
  capability: 'read',
  id: 'control.settings',
  title: 'Show the effective settings',
  description: 'By flag name, without secrets. Settings without a value and without a default are omitted.',
  method: 'GET',
  path: '/settings',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: SettingsView },
  errors: [],
  openapiExamples: { response: defaultSettings },

  async handle(_input, { settings, baseUrl }) {
    const effective: Readonly<Record<string, unknown>> = { ...settings, baseUrl };
    const values = publicSettings.map(([key, { name }]) => [name, effective[key]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  },
});

/** GET /_iam/settings */
import * as z from 'zod';
import { type Setting, settingsTable } from '../../settings.ts';
import { defineRoute } from '../define.ts';

const schemaByKind: Readonly<Record<Setting['kind'], z.ZodType<string | number | boolean | readonly string[]>>> = {
  text: z.string(),
  integer: z.int(),
  boolean: z.boolean(),
  list: z.array(z.string()).readonly(),
};

/** What comes from the environment only is a secret, or the name of who has one. */
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
  title: 'Shows the settings in force',
  description: 'Settings by the names of their flags, without secrets. What is not set and has no default is left out.',
  method: 'GET',
  path: '/settings',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: SettingsView },
  errors: [],
  openapiExamples: { response: defaultSettings },

  async handle(_input, { settings, baseUrl }) {
    const inForce: Readonly<Record<string, unknown>> = { ...settings, baseUrl };
    const values = publicSettings.map(([key, { name }]) => [name, inForce[key]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  },
});

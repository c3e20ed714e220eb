/** GET /_iam/settings */
import * as z from 'zod';
import { type Setting, settingsTable } from '../../settings.ts';
import { defineRoute } from '../define.ts';

const schemaOfKind: Readonly<Record<Setting['kind'], z.ZodType<string | number | boolean | readonly string[]>>> = {
  text: z.string(),
  integer: z.int(),
  boolean: z.boolean(),
  list: z.array(z.string()).readonly(),
};

/** What comes from the environment only is a secret, or the name of who has one. */
const shownSettings = Object.entries(settingsTable).filter(([, { flag }]) => flag);

const usualSettings = Object.fromEntries(
  shownSettings.flatMap(([, setting]) => ('default' in setting ? [[setting.name, setting.default]] : [])),
);

const SettingsShown = z.strictObject(
  Object.fromEntries(
    shownSettings.map(([, { name, kind, description }]) => [name, schemaOfKind[kind].optional().describe(description)]),
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
  response: { status: 200, body: SettingsShown },
  errors: [],
  samples: { answer: usualSettings },

  async handle(_input, { settings, baseUrl }) {
    const inForce: Readonly<Record<string, unknown>> = { ...settings, baseUrl };
    const values = shownSettings.map(([key, { name }]) => [name, inForce[key]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  },
});

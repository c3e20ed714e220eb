import * as z from 'zod';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { type Setting, type SettingKey, settingsTable } from '../../../config/settings.ts';
import { defineRoute } from '../../define.ts';

const schemaByKind: Readonly<Record<Setting['kind'], z.ZodType<string | number | boolean | readonly string[]>>> = {
  text: exampleText('Your code is 493817.'),
  integer: z.int(),
  boolean: z.boolean(),
  list: z.array(z.string()).readonly(),
};

/** Settings without a flag come from the environment only: secrets, or the name of their owner. */
const publicSettings = Object.entries(settingsTable).filter(([, { flag }]) => flag);

/** What a sandbox with its own seed does not show: where the server is, and its files. */
const settingsOfServer: ReadonlySet<string> = new Set<SettingKey>([
  ...(['data', 'auditLog', 'issuer', 'host', 'port', 'trustedProxies', 'sandboxNetworks'] as const),
]);

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
  description:
    'By flag name, without secrets. Settings without a value and without a default are omitted, and in a sandbox with its own seed those about the files and the network of the server.',
  method: 'GET',
  path: '/settings',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: SettingsView },
  errors: [],
  openapiExamples: { response: defaultSettings },

  async handle(_input, { settings, baseUrl, isTenant }) {
    const effective: Readonly<Record<string, unknown>> = { ...settings, baseUrl };
    const values = publicSettings
      .filter(([key]) => !isTenant || !settingsOfServer.has(key))
      .map(([key, { name }]) => [name, effective[key]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  },
});

/** Generates docs/reference/settings.md: every setting of the server. */
import { secretFileVariable } from '../../src/contract/secret-files.ts';
import { type Setting, settingsTable } from '../../src/server/config/settings.ts';
import { code, page, table } from './markdown.ts';

/** Renders the page from the settings table. */
export function settingsPage(): string {
  const settings: readonly Setting[] = Object.values(settingsTable);
  return page(
    'Settings',
    'A flag of `iam serve` (and of `npm start -- ...`) overrides the environment, which overrides the default. ' +
      'With an invalid value, the server prints one line that names the setting and does not start. Secrets come only from the environment, ' +
      'or from a file that the variable with the suffix `_FILE` names, as in `IAM_ADMIN_PASSWORD_FILE=/run/secrets/password`.',
    table(['Flag', 'Environment', 'Values', 'Default', 'Description'], settings.map(row)),
  );
}

function row(setting: Setting): string[] {
  const flag = setting.flag ? code(`--${setting.name}`) : '';
  const variables = setting.flag ? [setting.environment] : [setting.environment, secretFileVariable(setting)];
  return [flag, variables.map(code).join(', '), valuesOf(setting), defaultOf(setting), `${setting.description}.`];
}

function valuesOf(setting: Setting): string {
  if (setting.kind === 'integer') return `${setting.least} to ${setting.most}`;
  if (setting.kind === 'text' && setting.values) return setting.values.map(code).join(', ');
  return { text: 'text', boolean: 'true or false', list: 'comma-separated list' }[setting.kind];
}

function defaultOf(setting: Setting): string {
  const { default: value } = setting;
  return value === undefined || Array.isArray(value) ? '' : code(String(value));
}
